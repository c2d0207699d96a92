/** Defects to plant in the life of a lease: planners, the order of a binding, admission, extension. */
import type { PlantedDefect } from './planted-defect.ts'

const CORE = 'src/core/lease'
const CONTROLLER = 'src/controllers/lease'
const HTTP = 'src/http/leases'

const BINDING_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'the reservation of a member is not fenced by its version',
    breaks: 'I1',
    file: `${CONTROLLER}/execute.ts`,
    find: 'const patch = fencedStatusPatch(instance, leasedStatus(instance, action.binding, now))',
    replace:
      'const fresh = await deps.client.get(CLUSTER_INSTANCES, refOf(instance))\n  const patch = fencedStatusPatch(fresh, leasedStatus(instance, action.binding, now))',
    worlds: ['lease-overtaken'],
  },
  {
    name: 'a reservation that was lost is taken for won',
    breaks: 'I1',
    file: `${CONTROLLER}/execute.ts`,
    find: 'return landed(() => reserveInstance(pass, action))',
    replace: 'await landed(() => reserveInstance(pass, action))\n      return true',
    worlds: ['lease-overtaken'],
  },
  {
    name: 'the member is reserved before the intent is written',
    breaks: 'ESR',
    file: `${CORE}/pending.ts`,
    find: "[{ kind: 'RecordIntent', binding }, reserve(chosen, binding)]",
    replace: "[reserve(chosen, binding), { kind: 'RecordIntent', binding }]",
    worlds: ['lease-overtaken', 'lease-crash', 'lease-one', 'lease-by-hand'],
  },
  {
    name: 'Bound is written without a reservation',
    breaks: 'I1',
    file: `${CORE}/pending.ts`,
    find: "[{ kind: 'RecordIntent', binding }, reserve(chosen, binding)]",
    replace: "[{ kind: 'RecordIntent', binding }]",
    worlds: ['lease-one'],
  },
  {
    name: 'an intent is taken for a reservation',
    breaks: 'I1',
    file: `${CORE}/pending.ts`,
    find: 'instanceCarries(lease, instance) && instance.status?.phase === InstancePhase.Leased',
    replace: 'true',
    worlds: ['lease-crash'],
  },

  {
    name: 'a used member counts as free',
    breaks: 'I1',
    file: `${CORE}/candidates.ts`,
    find: "bucketOf(instance) === 'ready' && instance.metadata.deletionTimestamp === undefined",
    replace: 'bucketOf(instance) !== undefined && instance.metadata.deletionTimestamp === undefined',
    worlds: ['lease-queue', 'lease-overtaken'],
  },

  {
    name: 'a member that answers by a lagging cache is taken for gone',
    breaks: 'I6',
    file: `${CONTROLLER}/observe.ts`,
    find: 'const instance = await readInstance(deps, ref.name, namespace)',
    replace: 'const instance = known',
    worlds: ['lease-lag-new'],
  },
  {
    name: 'an older view of a bound member ends the lease',
    breaks: 'I6',
    file: `${CORE}/bound.ts`,
    find: "if (observed.bound.state === 'found' && isFree(observed.bound.instance))",
    replace: "if (observed.bound.state === 'none' && isFree(observed.lease as never))",
    worlds: ['lease-lag'],
  },
  {
    name: 'a member is offered again after its lease',
    breaks: 'I2',
    file: 'src/core/instance/leased.ts',
    find: 'if (end !== undefined) return toRecycling',
    replace:
      "if (end !== undefined) return { status: { ...toRecycling(observed, end, now).status!, phase: 'Ready', leaseRef: undefined, binding: undefined } }\n  if (end) return toRecycling",
    worlds: ['lease-one'],
  },
  {
    name: 'a member that is deleted by hand goes under its lease',
    breaks: 'I6',
    file: 'src/core/instance/plan-instance.ts',
    find: 'if (isInUse(observed)) return planLeased(observed, now)',
    replace:
      'if (isInUse(observed) && instance.metadata.deletionTimestamp === undefined) return planLeased(observed, now)',
    worlds: ['lease-by-hand'],
  },
  {
    name: 'the lease of a reserved member keeps nothing of the reservation',
    breaks: 'I3',
    file: 'src/core/instance/instance-status.ts',
    find: 'leaseRef:',
    replace: 'leaseRefX:',
    worlds: ['lease-one'],
  },
]

const END_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'the TTL of a lease is not enforced',
    breaks: 'I8',
    file: `${CORE}/bound.ts`,
    find: 'if (now >= expiry) return end',
    replace: 'if (now < 0) return end',
    worlds: ['lease-expires'],
  },
  {
    name: 'a lease is not woken for its expiry',
    breaks: 'Wake',
    file: `${CORE}/bound.ts`,
    find: 'wakeAt: [expiry, idleAt],',
    replace: 'wakeAt: [idleAt],',
    worlds: ['lease-expires'],
  },
  {
    name: 'nobody wakes a lease for its missing heartbeat',
    breaks: 'Wake',
    file: `${CORE}/bound.ts`,
    find: 'wakeAt: [expiry, idleAt],',
    replace: 'wakeAt: [expiry],',
    worlds: ['lease-idles'],
  },
  {
    name: 'a lease is extended once more than allowed',
    breaks: 'Extension',
    file: `${CORE}/plan-extension.ts`,
    find: 'status.extensionsCount >= maxExtensions',
    replace: 'status.extensionsCount > maxExtensions',
    worlds: ['lease-expires'],
  },
  {
    name: 'an extension goes past the longest life',
    breaks: 'Extension',
    file: `${CORE}/plan-extension.ts`,
    find: 'if (expiresAt > longest) return beyond',
    replace: 'if (expiresAt < 0) return beyond',
    worlds: ['lease-longest'],
  },
  {
    name: 'the token outlives its lease',
    breaks: 'I8',
    file: `${CORE}/terminal.ts`,
    find: "connectTokenExists ? [{ kind: 'DeleteConnectToken' }] : []",
    replace: 'connectTokenExists ? [] : []',
    worlds: ['lease-expires'],
  },

  {
    name: 'an ended lease is never deleted',
    breaks: 'ESR',
    file: `${CORE}/terminal.ts`,
    find: "{ actions: [{ kind: 'DeleteLease', uid, resourceVersion }] }",
    replace: '{}',
    worlds: ['lease-one'],
  },
  {
    name: 'a lease that is past its end is extended',
    breaks: 'Extension',
    file: `${CORE}/plan-extension.ts`,
    find: 'if (now >= expiry) return refuse',
    replace: 'if (now < 0) return refuse',
    worlds: ['lease-expires'],
  },
  {
    name: 'a lease in the queue is not told why',
    breaks: 'I7',
    file: `${CORE}/pending.ts`,
    find: 'status: waitingStatus(lease, position, cause, now),',
    replace: 'status: { ...waitingStatus(lease, position, cause, now), conditions: [] },',
    worlds: ['lease-queue'],
  },
  {
    name: 'nobody wakes a lease whose time in the queue is over',
    breaks: 'Wake',
    file: `${CORE}/pending.ts`,
    find: 'wakeAt: [queueDeadline(observed), ',
    replace: 'wakeAt: [',
    worlds: ['lease-queue'],
  },
]

const ADMISSION_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'admitted requests whose lease is not there yet do not count',
    breaks: 'I11',
    file: `${HTTP}/admission-decision.ts`,
    find: 'leases.filter(isActive).length + pending.length',
    replace: 'leases.filter(isActive).length + pending.length * 0',
    worlds: ['lease-cap'],
  },
  {
    name: 'the record of admissions is replaced whoever wrote it last',
    breaks: 'I11',
    file: `${HTTP}/admission-record.ts`,
    find: 'await client.replace(CONFIG_MAPS, { ...record.object, data })',
    replace:
      'await client.replace(CONFIG_MAPS, { metadata: { ...record.object.metadata, resourceVersion: undefined }, data })',
    worlds: ['lease-cap-again'],
  },
  {
    name: 'the leases are listed before the record is read',
    breaks: 'I11',
    file: `${HTTP}/admission.ts`,
    find: 'const found = await records.read(key)\n  const list = await leasesOf(deps, key, batch)',
    replace: 'const list = (line.seen ??= await leasesOf(deps, key, batch))\n  const found = await records.read(key)',
    worlds: ['lease-cap-again'],
  },

  {
    name: 'an entry of the record is void at once',
    breaks: 'I11',
    file: `${HTTP}/admission-line.ts`,
    find: '&& now - at < ENTRY_TTL_MS',
    replace: '&& now - at < 0',
    worlds: ['lease-cap'],
  },
  {
    name: 'the same key makes a lease of its own each time',
    breaks: 'I10',
    file: `${HTTP}/admission-decision.ts`,
    find: '(request.idempotency?.keyHash ?? nameHex)',
    replace: '(nameHex)',
    worlds: ['lease-key'],
  },
  {
    name: 'a half-done binding does not count against the quota',
    breaks: 'I11',
    file: `${CONTROLLER}/holders.ts`,
    find: "phase === 'Bound' || (phase === 'Pending' && binding !== undefined)",
    replace: "phase === 'Bound' || (phase === 'Pending' && binding === null)",
    worlds: ['lease-kubectl', 'leases-kubectl'],
  },
  {
    name: 'leases that wait do not count against the cap',
    breaks: 'I11',
    file: `${HTTP}/lease-state.ts`,
    find: "(phase === 'Pending' || phase === 'Bound')",
    replace: "(phase === 'Bound')",
    worlds: ['lease-cap'],
  },
]

export const LEASE_DEFECTS: readonly PlantedDefect[] = [...BINDING_DEFECTS, ...END_DEFECTS, ...ADMISSION_DEFECTS]
