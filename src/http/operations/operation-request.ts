/** `POST /v1/operations` from body to request: what can be checked without looking at the cluster. */
import { createHash } from 'node:crypto'
import type { NodeSelector } from '../../api/v1alpha1/managed-cluster.ts'
import type { AskedSettings } from '../../core/nodes/cluster-insight.ts'
import { field } from '../../core/optional-field.ts'
import { type Principal, principalKey } from '../auth/principal.ts'
import { ApiError } from '../errors.ts'
import { idempotencyKeyOf, sorted } from '../leases/lease-request.ts'
import type { CreateOperationBody } from '../schemas/operation.ts'
import { amountOf } from './amount.ts'

export interface OperationRequest {
  readonly principal: Principal
  readonly cluster: string
  readonly type: CreateOperationBody['type']
  /** To be stored once the operation holds its cluster. */
  readonly settings?: AskedSettings
  readonly maxUnavailable?: number | string
  readonly allowLastWorker?: boolean
  readonly selector?: NodeSelector
  readonly idempotency?: { readonly keyHash: string; readonly requestHash: string }
}

const FOR_ROLLOUT = ['settings', 'maxUnavailable', 'allowLastWorker', 'selector'] as const

/** @throws ApiError: the first that is wrong */
export function parseOperationRequest(
  principal: Principal,
  body: CreateOperationBody,
  keyHeader: string | undefined,
): OperationRequest {
  const { cluster, type, settings, allowLastWorker, selector } = body
  const misplaced = type === 'Rollout' ? undefined : FOR_ROLLOUT.find((name) => body[name] !== undefined)
  if (misplaced !== undefined) {
    const detail = `${misplaced} is only for an operation of type Rollout`
    throw new ApiError('invalid_request', { detail, field: misplaced })
  }
  return {
    principal,
    cluster,
    type,
    ...field('settings', settings),
    ...field('maxUnavailable', amountOf(body.maxUnavailable)),
    ...field('allowLastWorker', allowLastWorker),
    ...field('selector', selector),
    ...field('idempotency', idempotencyOf(principal, body, keyHeader)),
  }
}

function idempotencyOf(principal: Principal, body: CreateOperationBody, header: string | undefined) {
  const key = idempotencyKeyOf(body, header)
  if (key === undefined) return undefined
  const { cluster, type, settings, maxUnavailable, allowLastWorker, selector } = body
  const parts = [cluster, type, settings, maxUnavailable, allowLastWorker, selector]
  return {
    keyHash: sha256(`${principalKey(principal)}\n${key}`),
    requestHash: sha256(JSON.stringify(parts.map((part) => sorted(part) ?? null))),
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
