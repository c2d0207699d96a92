/** Every function that rules may call. */
import { ADDRESSES, NETWORKS } from './addresses.ts'
import { CONVERSIONS } from './conversions.ts'
import { LISTS } from './lists.ts'
import { OPERATORS } from './operators.ts'
import { OPTIONALS } from './optionals.ts'
import { collectFunctions } from './overload.ts'
import { QUANTITIES } from './quantities.ts'
import { SEMVERS } from './semvers.ts'
import { STRINGS } from './strings.ts'
import { TEXT_FORMATS } from './text-formats.ts'
import { URLS } from './urls.ts'

export const FUNCTIONS = collectFunctions([
  ...OPERATORS,
  ...CONVERSIONS,
  ...STRINGS,
  ...LISTS,
  QUANTITIES,
  ADDRESSES,
  NETWORKS,
  URLS,
  TEXT_FORMATS,
  SEMVERS,
  OPTIONALS,
])
