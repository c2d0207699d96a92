/** How others check tokens of ServiceAccounts on their own: OpenID Connect discovery and the public keys. */
import type { Answer } from '../handlers/api-request.ts'
import type { SigningKey } from './signing-key.ts'
import { ISSUER } from './verdict.ts'

export const OPENID_CONFIGURATION = '/.well-known/openid-configuration'
export const KEY_SET = '/openid/v1/jwks'

/** `url`: where this server is reached. */
export function openidConfiguration({ algorithm }: SigningKey, url: string): Answer {
  return answer('application/json', {
    issuer: ISSUER,
    jwks_uri: `${url}${KEY_SET}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  })
}

export function keySet({ algorithm, id, publicKey }: SigningKey): Answer {
  const { kty, ...numbers } = publicKey.export({ format: 'jwk' })
  return answer('application/jwk-set+json', { keys: [{ use: 'sig', kty, kid: id, alg: algorithm, ...numbers }] })
}

function answer(contentType: string, value: unknown): Answer {
  return { status: 200, contentType, body: JSON.stringify(value), cacheControl: 'public, max-age=3600' }
}
