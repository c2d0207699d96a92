/** Flags of the Node processes that members run in. `bench/member.ts` measures what they bring. */
export const memberNodeFlags: readonly string[] = ['--disable-warning=ExperimentalWarning']
