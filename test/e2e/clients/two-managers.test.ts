/** Two managers that write one object with `kubectl apply --server-side`: who owns what, who may change it, what goes with whom. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasKubectl } from '../../support/run.ts'
import { SERVER_KINDS, type Server } from '../kubectl/servers.ts'
import { openWorkspace, succeed, type Workspace } from './workspace.ts'

interface Container {
  readonly name: string
  readonly image?: string
  readonly env?: readonly { readonly name: string; readonly value: string }[]
}

interface Wanted {
  readonly replicas?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly containers: readonly Container[]
}

function deployment({ replicas, labels, containers }: Wanted): string {
  const app = { app: 'web' }
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', ...(labels === undefined ? {} : { labels }) },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers } },
    },
  })
}

const WEB: Container = { name: 'web', image: 'example.com/web:1' }

interface Manager {
  readonly manager: string
  readonly operation: string
  readonly fieldsV1: { readonly 'f:spec': Record<string, unknown> }
}

describe.each(SERVER_KINDS)('two managers on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing || !hasKubectl)('of one Deployment', () => {
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
    const apply = (manager: string, wanted: Wanted, more = '') =>
      space.kubectl(`apply --server-side --field-manager=${manager} -f -${more}`, deployment(wanted))
    const read = async () =>
      JSON.parse(await succeed(space.kubectl('get deployment web -o json --show-managed-fields')))
    const owners = async (field: string) => {
      const managers: Manager[] = (await read()).metadata.managedFields
      return managers.filter(({ fieldsV1 }) => Object.hasOwn(fieldsV1['f:spec'], field)).map(({ manager }) => manager)
    }

    test('each owns what it applies, and both what both apply', async () => {
      await succeed(apply('platform', { replicas: 2, labels: { tier: 'front' }, containers: [WEB] }))
      await succeed(apply('team', { containers: [{ name: 'web', env: [{ name: 'MODE', value: 'fast' }] }] }))
      expect(await owners('f:replicas')).toEqual(['platform'])
      expect(await owners('f:template')).toEqual(['platform', 'team'])
      expect((await read()).spec.template.spec.containers).toMatchObject([
        { ...WEB, env: [{ name: 'MODE', value: 'fast' }] },
      ])
    })

    test('applying the same again changes nothing, not even the resourceVersion', async () => {
      const before = (await read()).metadata.resourceVersion
      await succeed(apply('platform', { replicas: 2, labels: { tier: 'front' }, containers: [WEB] }))
      expect((await read()).metadata.resourceVersion).toBe(before)
    })

    test('another value for a field of the other is a conflict that names both, and nothing is written', async () => {
      const before = (await read()).metadata.resourceVersion
      const refused = await apply('team', { replicas: 5, containers: [{ name: 'web', image: 'example.com/web:2' }] })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain('Apply failed with 2 conflicts: conflicts with "platform":')
      expect(refused.stderr).toContain('- .spec.replicas\n- .spec.template.spec.containers[name="web"].image')
      expect((await read()).metadata.resourceVersion).toBe(before)
    })

    test('by force it becomes the owner', async () => {
      await succeed(apply('team', { replicas: 5, containers: [WEB] }, ' --force-conflicts'))
      expect((await read()).spec.replicas).toBe(5)
      expect(await owners('f:replicas')).toEqual(['team'])
      const refused = await apply('platform', { replicas: 2, labels: { tier: 'front' }, containers: [WEB] })
      expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "team": .spec.replicas')
    })

    test('the same value from both is shared, and stays until the last of them drops it', async () => {
      await succeed(apply('platform', { replicas: 5, labels: { tier: 'front' }, containers: [WEB] }))
      expect(await owners('f:replicas')).toEqual(['platform', 'team'])
      await succeed(apply('team', { containers: [WEB] }))
      expect((await read()).spec.replicas).toBe(5)
      expect(await owners('f:replicas')).toEqual(['platform'])
    })

    test('what only one applied goes when it drops it, what has a default returns to that', async () => {
      await succeed(apply('platform', { containers: [WEB, { name: 'helper', image: 'example.com/helper:1' }] }))
      const grown = await read()
      expect(grown.metadata.labels).toBeUndefined()
      expect(grown.spec.replicas).toBe(1)
      expect(grown.spec.template.spec.containers).toHaveLength(2)
      await succeed(apply('platform', { containers: [WEB] }))
      const shrunk = await read()
      expect(shrunk.spec.template.spec.containers).toHaveLength(1)
      expect(shrunk.spec.template.spec.containers[0].env).toBeUndefined()
    })

    test('a writer that does not apply takes over what it changes, and the managers see a conflict', async () => {
      await succeed(space.kubectl('set image deployment/web web=example.com/web:9'))
      const refused = await apply('platform', { containers: [WEB] })
      expect(refused.stderr).toContain('conflict with "kubectl-set" using apps/v1')
      await succeed(apply('platform', { containers: [WEB] }, ' --force-conflicts'))
      expect((await read()).spec.template.spec.containers[0].image).toBe(WEB.image)
    })

    test('a dry run tells the conflict and the outcome, and writes nothing', async () => {
      const before = (await read()).metadata.resourceVersion
      const refused = await apply(
        'third',
        { containers: [{ name: 'web', image: 'example.com/web:3' }] },
        ' --dry-run=server',
      )
      expect(refused.code).toBe(1)
      const forced = await succeed(
        apply(
          'third',
          { containers: [{ name: 'web', image: 'example.com/web:3' }] },
          ' --dry-run=server --force-conflicts -o json',
        ),
      )
      expect(JSON.parse(forced).spec.template.spec.containers[0].image).toBe('example.com/web:3')
      expect((await read()).metadata.resourceVersion).toBe(before)
    })
  })
})
