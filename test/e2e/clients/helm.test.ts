/** The life of a release with an unmodified helm and its default flags: version 4 writes with server-side apply. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasKubectl } from '../../support/run.ts'
import { SERVER_KINDS, type Server } from '../kubectl/servers.ts'
import { hasHelm, openWorkspace, succeed, type Workspace } from './workspace.ts'

const NAMES = 'get deployment,service,configmap,secret,order -n shop -o name'
const jsonPath = (of: string, path: string) => `get ${of} -n shop -o jsonpath={${path}}`

describe.each(SERVER_KINDS)('helm against $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing || !hasHelm || !hasKubectl)('keeps a release', () => {
    let server: Server
    let space: Workspace
    beforeAll(async () => {
      server = await start()
      space = await openWorkspace(server.kubeconfig)
    })
    afterAll(async () => {
      await space?.close()
      await server?.stop()
    })
    const helm = (args: string) => succeed(space.helm(`${args} --namespace shop`))
    const read = (args: string) => succeed(space.kubectl(args))
    const names = async () => (await read(NAMES)).trim().split('\n')

    test('install makes the CRD, a resource of it and everything else, and runs the hooks', async () => {
      const printed = await helm('install shop chart --create-namespace')
      expect(printed).toContain('STATUS: deployed')
      expect(printed).toContain('shop says hello.')
      expect(await names()).toEqual([
        'deployment.apps/shop',
        'service/shop',
        'configmap/shop',
        'configmap/shop-before',
        'configmap/shop-extra',
        'secret/sh.helm.release.v1.shop.v1',
        'secret/shop',
        'order.shop.example.com/shop',
      ])
      expect(await read(jsonPath('order/shop', '.spec.pieces'))).toBe('1')
      expect(await read(jsonPath('configmap/shop', '.data.kubernetes'))).toBe('true')
    })

    test('what helm wrote belongs to the field manager helm, by server-side apply', async () => {
      const managers = await read(
        `${jsonPath('deployment/shop', '.metadata.managedFields[*].manager')} --show-managed-fields`,
      )
      const operations = await read(
        `${jsonPath('deployment/shop', '.metadata.managedFields[*].operation')} --show-managed-fields`,
      )
      expect([managers, operations]).toEqual(['helm', 'Apply'])
    })

    test('upgrade changes what changed, deletes what left the chart, and runs the hooks anew', async () => {
      await helm('upgrade shop chart --set image=example.com/shop:2,extra=false,greeting=bye')
      expect(await names()).not.toContain('configmap/shop-extra')
      expect(await read(jsonPath('deployment/shop', '.spec.template.spec.containers[*].image'))).toBe(
        'example.com/shop:2',
      )
      expect(await read(jsonPath('configmap/shop-before', '.data.revision'))).toBe('2')
      expect(await read(jsonPath('configmap/shop', '.data.greeting'))).toBe('bye')
    })

    test('an upgrade over another writer of a field is refused with a conflict, and can be forced', async () => {
      await read('scale deployment/shop -n shop --replicas=7')
      const refused = await space.helm('upgrade shop chart --namespace shop --set replicas=3')
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/conflict with "kubectl"/)
      await helm('upgrade shop chart --set replicas=3 --force-conflicts')
      expect(await read(jsonPath('deployment/shop', '.spec.replicas'))).toBe('3')
    })

    test('an invalid upgrade fails, and the release says so', async () => {
      const failed = await space.helm('upgrade shop chart --namespace shop --set replicas=-1')
      expect(failed.code).toBe(1)
      expect(failed.stderr).toContain('spec.replicas: Invalid value: -1: must be greater than or equal to 0')
      expect(JSON.parse(await helm('status shop -o json')).info.status).toBe('failed')
    })

    test('rollback brings back the first revision', async () => {
      await helm('rollback shop 1')
      expect(await names()).toContain('configmap/shop-extra')
      expect(await read(jsonPath('deployment/shop', '.spec.template.spec.containers[*].image'))).toBe(
        'example.com/shop:1',
      )
      expect(await read(jsonPath('configmap/shop', '.data.greeting'))).toBe('hello')
    })

    test('list and history tell the revisions', async () => {
      const [release] = JSON.parse(await helm('list -o json'))
      expect(release).toMatchObject({
        name: 'shop',
        namespace: 'shop',
        revision: '6',
        status: 'deployed',
        chart: 'shop-0.1.0',
      })
      const history: { revision: number; status: string }[] = JSON.parse(await helm('history shop -o json'))
      expect(history.map(({ revision, status }) => `${revision} ${status}`)).toEqual([
        '1 superseded',
        '2 superseded',
        '3 failed',
        '4 superseded',
        '5 failed',
        '6 deployed',
      ])
    })

    test('get answers the manifest and the values of a revision', async () => {
      expect(await helm('get manifest shop --revision 2')).toContain('image: example.com/shop:2')
      expect(JSON.parse(await helm('get values shop --revision 2 -o json'))).toEqual({
        image: 'example.com/shop:2',
        extra: false,
        greeting: 'bye',
      })
    })

    test('uninstall removes the release, keeps the CRD, and runs the last hook', async () => {
      await helm('uninstall shop')
      expect(await names()).toEqual(['configmap/shop-before', 'configmap/shop-goodbye'])
      expect(await read('get crd orders.shop.example.com -o name')).toContain('orders.shop.example.com')
      expect(JSON.parse(await helm('list -o json'))).toEqual([])
    })

    test('a release of the same name can be installed again', async () => {
      await helm('upgrade --install shop chart')
      expect(await read(jsonPath('order/shop', '.spec.pieces'))).toBe('1')
    })
  })
})
