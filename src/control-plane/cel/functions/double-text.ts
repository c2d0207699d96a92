/** A double as Go prints it in its shortest form. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const magnitude = Math.abs(value)
  const scientific = magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21)
  const text = scientific ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}
