/** The versions of a CRD: their names, the one that is stored, and what each says about its kind. */
import { childPath, indexPath, invalidError, requiredError } from '../schema/field-error.ts'
import { type JsonObject, own } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { isShared, objectAt, objectsAt, schemaOf, textAt } from './crd-spec.ts'
import { checkColumn } from './validate-columns.ts'
import { labelProblems } from './validate-names.ts'
import { checkSchema } from './validate-schema.ts'
import { checkSelectableFields } from './validate-selectable-fields.ts'
import { checkScale } from './validate-subresources.ts'

export interface Versions {
  readonly all: readonly JsonObject[]
  /** On an update: whether a version's schema is what it was. */
  readonly hasKeptSchema: (version: JsonObject | undefined) => boolean
}

export function checkVersions(context: Versions): FieldError[] {
  const { all: versions } = context
  const separate = PARTS.filter(({ field }) => !isShared(versions, field))
  const perVersion = versions.flatMap((version, index) => {
    const path = indexPath('spec.versions', index)
    return [
      ...checkVersionName(version, path),
      ...checkDeprecation(version, path),
      ...separate.flatMap((part) => part.check([version], childPath(path, part.field), context)),
    ]
  })
  return [...checkSchemaPresence(versions), ...perVersion, ...checkStorage(versions)]
}

/** What all versions say alike is reported once. */
export function checkSharedParts(context: Versions): FieldError[] {
  const { all: versions } = context
  const shared = PARTS.filter(({ field }) => isShared(versions, field))
  return shared.flatMap((part) => part.check(versions, childPath('spec', part.sharedAs), context))
}

interface Part {
  readonly field: string
  /** The field's name directly below `spec`. */
  readonly sharedAs: string
  /** Of several versions the first is checked: they are alike in this part. */
  readonly check: (versions: readonly JsonObject[], path: string, context: Versions) => FieldError[]
}

const PARTS: readonly Part[] = [
  { field: 'schema', sharedAs: 'validation', check: checkVersionSchema },
  {
    field: 'subresources',
    sharedAs: 'subresources',
    check: ([version], path) => checkScale(objectAt(version, 'subresources'), path),
  },
  {
    field: 'additionalPrinterColumns',
    sharedAs: 'additionalPrinterColumns',
    check: ([version], path) =>
      objectsAt(version, 'additionalPrinterColumns').flatMap((column, index) =>
        checkColumn(column, indexPath(path, index)),
      ),
  },
  {
    field: 'selectableFields',
    sharedAs: 'selectableFields',
    check: checkVersionSelectableFields,
  },
]

function checkVersionSchema(versions: readonly JsonObject[], path: string, context: Versions): FieldError[] {
  const schema = schemaOf(versions[0] ?? {})
  if (schema === undefined) return []
  const hasStatus = versions.some((version) => objectAt(objectAt(version, 'subresources'), 'status') !== undefined)
  const isKept = context.hasKeptSchema(versions[0])
  return checkSchema(schema, childPath(path, 'openAPIV3Schema'), { hasStatus, isKept })
}

function checkVersionSelectableFields([version]: readonly JsonObject[], path: string, { all }: Versions): FieldError[] {
  const fields = objectsAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath'))
  const areAlike = isShared(all, 'selectableFields') === isShared(all, 'schema')
  return checkSelectableFields(fields, areAlike ? schemaOf(version ?? {}) : undefined, path)
}

/** Without a schema nothing could be pruned or validated. */
function checkSchemaPresence(versions: readonly JsonObject[]): FieldError[] {
  return versions.flatMap((version, index) =>
    schemaOf(version) === undefined
      ? [requiredError(`${indexPath('spec.versions', index)}.schema.openAPIV3Schema`)]
      : [],
  )
}

function checkVersionName(version: JsonObject, path: string): FieldError[] {
  const name = textAt(version, 'name')
  const problems = labelProblems(name)
  return problems.length === 0 ? [] : [invalidError(childPath(path, 'name'), name, problems.join(','))]
}

function checkDeprecation(version: JsonObject, path: string): FieldError[] {
  const warning = own(version, 'deprecationWarning')
  if (typeof warning !== 'string') return []
  const field = childPath(path, 'deprecationWarning')
  return deprecationProblems(version, warning).map((problem) => invalidError(field, warning, problem))
}

function deprecationProblems(version: JsonObject, warning: string): string[] {
  if (own(version, 'deprecated') !== true) return ['can only be set for deprecated versions']
  const problems: string[] = []
  if (Buffer.byteLength(warning) > 256) problems.push('must be <= 256 characters long')
  if (warning === '') problems.push('must not be an empty string')
  const unprintable = /[^\P{C}]|[^\P{Z} ]/u.exec(warning)
  if (unprintable !== null) {
    const index = Buffer.byteLength(warning.slice(0, unprintable.index))
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
  }
  return problems
}

/** The real server prints its internal form of the versions; what they all have in common is not in there. */
function versionsError(versions: readonly JsonObject[], detail: string): FieldError {
  const shown = versions.map((version) => ({
    Name: textAt(version, 'name'),
    Served: own(version, 'served') === true,
    Storage: own(version, 'storage') === true,
    Deprecated: own(version, 'deprecated') === true,
    DeprecationWarning: own(version, 'deprecationWarning') ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }))
  const message = `Invalid value: ${JSON.stringify(shown)}: ${detail}`
  return { reason: 'FieldValueInvalid', field: 'spec.versions', message }
}

function checkStorage(versions: readonly JsonObject[]): FieldError[] {
  const names = versions.map((version) => textAt(version, 'name'))
  const stored = versions.filter((version) => own(version, 'storage') === true)
  const errors: FieldError[] = []
  if (new Set(names).size < names.length) {
    errors.push(versionsError(versions, 'must contain unique version names'))
  }
  if (stored.length !== 1) {
    errors.push(versionsError(versions, 'must have exactly one version marked as storage version'))
  }
  return [...errors, ...checkFirstName(names[0])]
}

/** The first version's name is also kept, for old clients, as `spec.version`. */
function checkFirstName(name: string | undefined): FieldError[] {
  const problems = name === undefined || name === '' ? [] : labelProblems(name)
  return problems.length === 0 ? [] : [invalidError('spec.version', name, problems.join(','))]
}
