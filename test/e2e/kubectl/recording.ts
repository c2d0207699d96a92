/** What a real server answered, kept so that the comparison needs none. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outcome } from './play.ts'

const RECORDED = join(import.meta.dirname, 'recorded')

/** Where the recordings come from. */
export interface Origin {
  readonly kubernetes: string
  /** SHA-256 of the kube-apiserver. */
  readonly digest: string
  readonly kubectl: string
}

export async function readRecording(topic: string): Promise<readonly Outcome[]> {
  return JSON.parse(await readFile(join(RECORDED, `${topic}.json`), 'utf8'))
}

export async function writeRecording(topic: string, content: readonly Outcome[] | Origin): Promise<void> {
  await mkdir(RECORDED, { recursive: true })
  await writeFile(join(RECORDED, `${topic}.json`), `${JSON.stringify(content, null, 1)}\n`)
}
