/** Replaces what differs from run to run by placeholders, and the padding of columns by two spaces. */

const DATE = /20(?:2[5-9]|[3-9]\d)-\d\d-\d\d/.source
const CLOCK = /\d\d:\d\d:\d\d/.source
const AGE = /(?:\d+[smhdy]){1,2}/.source

const RULES: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [new RegExp(`${DATE}T${CLOCK}\\.\\d+Z`, 'g'), '<micro time>'],
  [new RegExp(`${DATE}T${CLOCK}Z`, 'g'), '<time>'],
  [new RegExp(`${DATE} ${CLOCK}(\\.\\d+)? \\+0000( UTC)?`, 'g'), '<time>'],
  [/\w{3}, \d\d \w{3} 20(?:2[5-9]|[3-9]\d) \d\d:\d\d:\d\d \+0000/g, '<time>'],
  [/(resourceVersion\\?"?: ?)\\?"?\d+\\?"?/g, '$1<version>'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  [/(requested: \d+, current: )\d+/g, '$1<version>'],
  // Of the kinds of log lines of a client, the informative ones tell how busy the machine was.
  [/^I\d{4} .*\n?/gm, ''],
  // A watch that ends with the time the command was given is told, or is not, by which of its threads wakes first.
  [/^E\d{4} .*"Failed to watch" err="context deadline exceeded".*\n?/gm, ''],
  [/^([EW])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, '$1 '],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
  [/kubectl-edit-\w+\.(yaml|json)/g, 'kubectl-edit.$1'],
  [/\b10\.(?:0\.0|9[6-9]\.\d+|1[01]\d\.\d+)\.\d+\b/g, '<cluster ip>'],
  [/("serverAddress":")[^"]+/g, '$1<address>'],
  [/(nodePort"?: )\d+/gi, '$1<node port>'],
  [/(\d+):3[0-2]\d{3}\//g, '$1:<node port>/'],
  [/(NodePort: .*?)3[0-2]\d{3}\//g, '$1<node port>/'],
  // Columns are as wide as their widest cell.
  [/(\S) {2,}(?=\S)/g, '$1  '],
  [new RegExp(`(^|\\s)${AGE}(?=\\s*$| {2})`, 'gm'), '$1<age>'],
  [new RegExp(`${AGE} ago`, 'g'), '<age> ago'],
  [new RegExp(`^${AGE} \\(x(\\d+) over ${AGE}\\)`, 'gm'), '<age> (x$1 over <age>)'],
]

export function normalise(text: string, url: string): string {
  let normal = text.replaceAll(url, '<server>').replaceAll(url.replace('https://', ''), '<address>')
  for (const [pattern, placeholder] of RULES) normal = normal.replaceAll(pattern, placeholder)
  return normal
}
