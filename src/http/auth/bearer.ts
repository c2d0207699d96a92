/** The token of `Authorization: Bearer <token>`; `undefined` for any other header. The scheme is case-insensitive. */
export function bearerOf(authorization: string | undefined): string | undefined {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? '')
  return match?.[1]
}
