/** The recorded answers of the real server, one file per scenario. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transcript } from './run-scenario.ts'

const DIR = join(import.meta.dirname, 'recorded')

export interface Recording {
  readonly server: {
    readonly gitVersion: string
    readonly buildDate: string
    readonly platform: string
    /** Of the kube-apiserver program. */
    readonly sha256: string
  }
  readonly transcripts: readonly Transcript[]
}

/** Undefined: the scenario has not been recorded. */
export async function readRecording(scenario: string): Promise<Recording | undefined> {
  try {
    return JSON.parse(await readFile(join(DIR, `${scenario}.json`), 'utf8')) as Recording
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function writeRecording(scenario: string, { server, transcripts }: Recording): Promise<void> {
  await mkdir(DIR, { recursive: true })
  const lines = transcripts.map((transcript) => `    ${JSON.stringify(transcript)}`)
  const text = `{\n  "server": ${JSON.stringify(server)},\n  "transcripts": [\n${lines.join(',\n')}\n  ]\n}\n`
  await writeFile(join(DIR, `${scenario}.json`), text)
}
