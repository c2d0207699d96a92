/** An e2e test tells what it does, so that its output reads as a story. */
export function say(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`    ${line.trimEnd().replaceAll('\n', '\n    ')}\n`)
}
