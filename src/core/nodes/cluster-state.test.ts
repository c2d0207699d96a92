import { describe, expect, it } from 'vitest'
import {
  CLUSTER_STATES,
  type ClusterState,
  OPERATION_TYPES,
  type OperationType,
} from '../../api/v1alpha1/node-phases.ts'
import { type End, endState, entryOf } from './cluster-state.ts'

/** Every pair that is not here is refused. `=`: runs without a change of state. */
const TABLE: Readonly<Record<OperationType, Partial<Record<ClusterState, ClusterState | '='>>>> = {
  Rollout: { Running: 'Updating', Alert: 'Updating' },
  Upgrade: { Running: 'Upgrading', Alert: 'Upgrading' },
  Scale: { Running: 'Scaling' },
  Start: { Created: 'Starting', Stopped: 'Starting', Alert: 'Starting', Error: '=' },
  Stop: { Running: 'Stopping', Alert: 'Stopping', Created: '=', Error: '=' },
  Destroy: { Running: 'Destroying', Alert: 'Destroying', Stopped: 'Destroying', Error: 'Destroying', Destroying: '=' },
}

describe('P4: how an operation may take a cluster', () => {
  const pairs = OPERATION_TYPES.flatMap((type) => CLUSTER_STATES.map((state) => [type, state] as const))

  it.each(pairs)('P4: %s from %s', (type, state) => {
    const expected = TABLE[type][state]
    const verdict = entryOf(type, state)
    if (expected === undefined) expect(verdict.allowed).toBe(false)
    else expect(verdict).toEqual(expected === '=' ? { allowed: true } : { allowed: true, entered: expected })
  })

  it('P4: a refusal says what would be right', () => {
    expect(entryOf('Rollout', 'Stopped')).toEqual({
      allowed: false,
      message: 'the cluster is Stopped; an operation of type Rollout starts from Running, Alert',
    })
  })
})

describe('P3: the state at the end', () => {
  const end = (over: Partial<End>): ClusterState =>
    endState({
      type: 'Rollout',
      outcome: 'Succeeded',
      entered: 'Updating',
      present: 'Updating',
      from: 'Alert',
      healthy: true,
      giveBack: false,
      ...over,
    })

  it.each<[string, Partial<End>, ClusterState]>([
    ['Running, when the cluster is healthy', {}, 'Running'],
    ['Running after a failure too, when it is healthy', { outcome: 'Failed' }, 'Running'],
    ['Alert, when it is not', { healthy: false }, 'Alert'],
    ['P4: as before, when nothing was begun', { giveBack: true, healthy: false, from: 'Running' }, 'Running'],
    ['P3: as it is, when somebody else moved it', { present: 'Destroying' }, 'Destroying'],
    ['P4: as it is, when the operation set none', { type: 'Start', entered: undefined, present: 'Error' }, 'Error'],
    ['Stopped after a stop', { type: 'Stop', entered: 'Stopping', present: 'Stopping', healthy: false }, 'Stopped'],
    [
      'Alert after a stop that failed',
      { type: 'Stop', entered: 'Stopping', present: 'Stopping', outcome: 'Failed' },
      'Alert',
    ],
    ['Running after a start', { type: 'Start', entered: 'Starting', present: 'Starting' }, 'Running'],
    [
      'Destroying after a destroy: it can only be retried',
      { type: 'Destroy', entered: 'Destroying', present: 'Destroying' },
      'Destroying',
    ],
  ])('is %s', (_name, over, state) => {
    expect(end(over)).toBe(state)
  })
})
