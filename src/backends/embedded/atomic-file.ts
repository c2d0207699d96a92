/** Small JSON files that are either the old text or the new one, whatever is killed or cut off in between. */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** `code` of a system error such as `ENOENT`; undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Marks files that a crash may have left; they mean nothing and go with their folder. */
export const temporarySuffix = '.tmp'

/** Writes beside, flushes, renames, flushes the folder. Mode 0600: some of these files hold keys. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}${temporarySuffix}`
  try {
    await writeAndFlush(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await flushFolder(dirname(path))
}

async function writeAndFlush(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Several files that appear together or not at all: a folder that is filled beside and then renamed. */
export async function writeFolderAtomically(path: string, files: Readonly<Record<string, string>>): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}${temporarySuffix}`
  try {
    await mkdir(temporary, { mode: 0o700 })
    await Promise.all(Object.entries(files).map(([name, text]) => writeAndFlush(join(temporary, name), text)))
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw error
  }
  await flushFolder(dirname(path))
}

export async function readTextIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    // ENOTDIR: a file stands where its folder would be.
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined
    throw error
  }
}
