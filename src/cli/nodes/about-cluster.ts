/** Refusals that are about a cluster say what to type about that very cluster. */
import { KobeError } from '../../client/errors.ts'
import { UserError, userErrorOf } from '../user-error.ts'

/** Placeholder in the words of `user-error.ts`. */
const PLACEHOLDER = '<cluster>'

export async function aboutCluster<T>(cluster: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof KobeError)) throw error
    const { message, why, fix, exitCode } = userErrorOf(error)
    if (fix?.includes(PLACEHOLDER) !== true) throw error
    throw new UserError(message, { why, fix: fix.replaceAll(PLACEHOLDER, cluster), exitCode, cause: error })
  }
}
