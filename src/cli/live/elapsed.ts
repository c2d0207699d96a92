/** Times as a person reads them beside something that goes on. */

/** `13s`, `2m 13s`, `1h 5m`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m ${seconds % 60}s`
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

/** How long ago a moment (RFC 3339) was; undefined where there is none. */
export function since(moment: string | undefined, now: number): string | undefined {
  const at = Date.parse(moment ?? '')
  return Number.isNaN(at) ? undefined : elapsed(now - at)
}

/** `07:41:02` of today, with the date where it is another day; in the time zone of the reader. */
export function clockTime(moment: string | number, now: number): string {
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return String(moment)
  const pad = (value: number): string => String(value).padStart(2, '0')
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return new Date(now).toDateString() === date.toDateString() ? time : `${day} ${time}`
}
