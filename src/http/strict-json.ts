/**
 * JSON of a request body, without what `JSON.parse` quietly swallows: of a key that stands twice it keeps the last, a number
 * that is too large or too exact becomes another one. Both would make something else of what was sent.
 */
import { ApiError } from './errors.ts'

/** Deeper than this no body of ours goes; what works on parsed bodies goes down them step by step. */
const DEEPEST = 64

/** Throws `ApiError` `invalid_json` that names the place. */
export function parseStrictJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError('invalid_json', { detail: error instanceof Error ? error.message : '', field: 'body' })
  }
  checkText(text)
  return value
}

interface Level {
  /** Keys so far; absent for a list. */
  readonly keys?: Set<string>
  /** The key or index that is being read. */
  at: string
  /** The next string is a key. */
  expectsKey: boolean
}

/** Goes over a text that is known to be JSON. */
function checkText(text: string): void {
  const levels: Level[] = []
  let place = 0
  while (place < text.length) {
    const char = text[place] ?? ''
    if (char === '"') place = readString(text, place, levels)
    else if (char === '-' || (char >= '0' && char <= '9')) place = readNumber(text, place, levels)
    else {
      moveOn(char, levels)
      place += 1
    }
  }
}

function moveOn(char: string, levels: Level[]): void {
  const level = levels.at(-1)
  if (char === '{' || char === '[') enter(char, levels)
  else if (char === '}' || char === ']') levels.pop()
  else if (char === ',' && level !== undefined) {
    if (level.keys === undefined) level.at = String(Number(level.at) + 1)
    else level.expectsKey = true
  }
}

function enter(char: '{' | '[', levels: Level[]): void {
  if (levels.length >= DEEPEST) refuse(levels, `is nested deeper than ${DEEPEST} levels`)
  levels.push(char === '{' ? { keys: new Set(), at: '', expectsKey: true } : { at: '0', expectsKey: false })
}

/** Answers where the text goes on. */
function readString(text: string, start: number, levels: Level[]): number {
  let end = start + 1
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  const level = levels.at(-1)
  if (level?.keys === undefined || !level.expectsKey) return end + 1
  // With its escapes read: "a" and "\u0061" are one key.
  const key = String(JSON.parse(text.slice(start, end + 1)))
  level.at = key
  level.expectsKey = false
  if (level.keys.has(key)) refuse(levels, 'stands twice')
  level.keys.add(key)
  return end + 1
}

const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y

function readNumber(text: string, start: number, levels: Level[]): number {
  NUMBER.lastIndex = start
  const [literal = '', fraction, exponent] = NUMBER.exec(text) ?? ['-']
  const value = Number(literal)
  const inexact = fraction === undefined && exponent === undefined && !Number.isSafeInteger(value)
  if (!Number.isFinite(value) || inexact) {
    refuse(levels, `is a number that cannot be kept exactly; send it as text, or between -(2^53 - 1) and 2^53 - 1`)
  }
  return start + Math.max(1, literal.length)
}

function refuse(levels: readonly Level[], problem: string): never {
  const path = levels.map(({ at }) => at).filter((at) => at !== '')
  const shown = path.slice(0, 8).join('.').slice(0, 120)
  const field = shown === '' ? 'body' : shown
  throw new ApiError('invalid_json', {
    error: 'The body is not JSON that can be read one way only',
    detail: `${field} ${problem}`,
    field,
  })
}
