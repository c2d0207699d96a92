/** A controller of informers and the object API of the official client, unchanged, on either server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, hasKubectl } from '../../support/run.ts'
import { SERVER_KINDS, type Server } from '../kubectl/servers.ts'
import { ReportController } from './report-controller.ts'
import { openWorkspace, succeed, type Workspace } from './workspace.ts'

const DEADLINE_MS = 15_000

const gadget = (name: string, size: number) =>
  JSON.stringify({ apiVersion: 'parity.example.com/v1', kind: 'Gadget', metadata: { name }, spec: { size } })

describe.each(SERVER_KINDS)('a controller on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing || !hasKubectl)('keeps a ConfigMap per custom resource', () => {
    let server: Server
    let space: Workspace
    let controller: ReportController
    beforeAll(async () => {
      server = await start()
      space = await openWorkspace(server.kubeconfig)
      await run('create -f -', gadget('early', 1))
      controller = new ReportController(server.kubeconfig, 'default')
      await controller.start()
    })
    afterAll(async () => {
      await controller?.stop()
      await space?.close()
      await server?.stop()
    })
    const run = (args: string, input?: string) => succeed(space.kubectl(args, input))
    const reports = async () => {
      const { items } = JSON.parse(await run('get configmaps -l app.kubernetes.io/managed-by=gadget-reports -o json'))
      return Object.fromEntries(items.map((item: ConfigMap) => [item.metadata.name, item.data]))
    }
    const becomes = (expected: object) =>
      eventually(`reports are ${JSON.stringify(expected)}`, DEADLINE_MS, async () => {
        expect(await reports()).toEqual(expected)
        return true
      })

    test('for those that were there before it, with the defaults of their schema', async () => {
      await becomes({ 'early-report': { size: '1', color: 'blue' } })
    })

    test('for those that come, and again when they change', async () => {
      await run('create -f -', gadget('late', 2))
      await run('apply --server-side --force-conflicts -f -', gadget('early', 10))
      await becomes({ 'early-report': { size: '10', color: 'blue' }, 'late-report': { size: '2', color: 'blue' } })
    })

    test('tells in the status which generation it saw, without raising the generation', async () => {
      await run('wait --for=jsonpath={.status.conditions[0].reason}=Generation2 gadget/early --timeout=15s')
      expect(await run('get gadget early -o jsonpath={.metadata.generation}')).toBe('2')
    })

    test('brings back what somebody deleted or changed', async () => {
      await run('delete configmap late-report')
      await run('patch configmap early-report --type=merge -p {"data":{"size":"wrong"}}')
      await becomes({ 'early-report': { size: '10', color: 'blue' }, 'late-report': { size: '2', color: 'blue' } })
    })

    test('of many, one each, in the end right whatever the order of events', async () => {
      const many = Array.from({ length: 20 }, (_, index) => gadget(`many-${index}`, index + 1))
      await run('apply --server-side -f -', list(many))
      await run('patch gadget many-7 --type=merge -p {"spec":{"color":"red"}}')
      await eventually('all reports are there', DEADLINE_MS, async () => {
        const found = await reports()
        expect(Object.keys(found)).toHaveLength(22)
        expect(found['many-7-report']).toEqual({ size: '8', color: 'red' })
        return true
      })
    })

    test('the garbage collector takes the reports with their owners', async () => {
      await run('delete gadgets --all')
      await becomes({})
    })

    test('without a failure on the way', () => {
      expect(controller.failures).toEqual([])
    })
  })
})

interface ConfigMap {
  readonly metadata: { readonly name: string }
  readonly data: Readonly<Record<string, string>>
}

function list(items: readonly string[]): string {
  return `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`
}
