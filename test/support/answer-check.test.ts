import { describe, expect, it } from 'vitest'
import { checkAnswer, type SeenAnswer } from './answer-check.ts'

const answer = (body: unknown, over: Partial<SeenAnswer> = {}): string | undefined =>
  checkAnswer({
    method: 'GET',
    url: '/v1/leases/lease-1?wait=1s',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify(body),
    ...over,
  })
const lease = { id: 'lease-1', phase: 'Pending', profile: 'p' }

describe('checkAnswer', () => {
  it('takes what is described', () => {
    expect(answer(lease)).toBeUndefined()
    expect(answer({ error: 'x', reason: 'lease_not_found' }, { status: 404 })).toBeUndefined()
    expect(answer({ error: 'x', reason: 'route_not_found' }, { status: 404, url: '/nowhere' })).toBeUndefined()
    expect(answer(undefined, { method: 'DELETE', status: 204, contentType: '', text: '' })).toBeUndefined()
  })

  it.each([
    ['a field of another type', answer({ ...lease, queue_position: null }), 'queue_position'],
    ['a missing field', answer({ id: 'lease-1', phase: 'Pending' }), 'profile'],
    ['a phase that does not exist', answer({ ...lease, phase: 'Lost' }), 'phase'],
    ['a status that is not described', answer({ error: 'x', reason: 'internal' }, { status: 418 }), 'status'],
    ['a reason that belongs elsewhere', answer({ error: 'x', reason: 'pool_not_found' }, { status: 404 }), 'reason'],
    ['a path that is not described', answer({}, { url: '/v1/nothing' }), 'no such operation'],
    ['another type', answer(lease, { contentType: 'text/html' }), 'text/html'],
  ])('tells %s', (_case, misfit, names) => {
    expect(misfit).toContain(names)
  })
})
