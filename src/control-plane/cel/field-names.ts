/** How fields are named in expressions: `self.a__dot__b`. [doc: CRD validation rules] */

/** Words of the language, which no field can be called. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
)

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** The name in expressions; undefined when expressions cannot name it. */
export function escapeFieldName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  if (!/__|[./-]/.test(name)) return name
  return name.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? part)
}
