import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import { ConfigError, parseLogLevel, parsePort, readEnvironment } from './config.ts'

test('an empty environment gives the documented defaults', () => {
  expect(readEnvironment({})).toEqual({
    home: homedir(),
    configHome: `${homedir()}/.config`,
    noColor: false,
    plainTerminal: false,
    namespace: 'kobe-system',
    logLevel: 'info',
    stateDir: '.kobe',
    inCluster: false,
  })
})

test('an empty variable counts as not set', () => {
  expect(readEnvironment({ KOBE_ENDPOINT: '', KOBE_TOKEN: '', NO_COLOR: '' })).not.toHaveProperty('endpoint')
})

test('the name of the own node comes from the downward API', () => {
  expect(readEnvironment({ KOBE_NODE_NAME: 'node-7' })).toMatchObject({ nodeName: 'node-7' })
})

test.each(['', '-1', '65536', '80x', ' '])('%j is not a port', (text) => {
  expect(() => parsePort(text, '--http-port')).toThrow(ConfigError)
})

test.each([
  ['0', 0],
  ['65535', 65_535],
])('%s is a port', (text, port) => {
  expect(parsePort(text, '--http-port')).toBe(port)
})

test('a wrong log level is refused with the ones that exist', () => {
  expect(() => parseLogLevel('loud', 'KOBE_LOG_LEVEL')).toThrow('debug, info, warn, error')
})
