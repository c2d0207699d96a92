/** Version of this package; `kobe version` and `/v1/status` print it. */
export const KOBE_VERSION = '0.1.0'
