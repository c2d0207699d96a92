/** Reads one value of a Secret. Messages name the Secret, never what it holds. */
import { SECRETS } from '../../../api/core-resources.ts'
import type { KubeClient } from '../../../kube/client.ts'
import { type Attempt, UnusableSecret } from './check.ts'

export const secretReader =
  (client: KubeClient): Attempt['secret'] =>
  async (ref, key) => {
    const { data } = await client.get(SECRETS, ref)
    const value = data?.[key]
    if (value === undefined || value === '') throw new UnusableSecret(`Secret ${ref.name} has no value ${key}`)
    return Buffer.from(value, 'base64').toString('utf8')
  }
