import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../config.ts'
import type { CommandContext } from '../define-command.ts'
import { upOptions } from './up.ts'

const context = { cwd: '/', env: { stateDir: '.kobe', namespace: 'n', logLevel: 'info' } } as CommandContext
const options = (given: Record<string, string>) => upOptions(context, { args: [], rest: [], options: given })

describe('kobe up --demo', () => {
  it('takes nodes, and nothing beside them', () => {
    expect(options({ demo: 'nodes' })).toMatchObject({ demo: 'nodes' })
    expect(() => options({ demo: 'pools' })).toThrow('there is only `nodes`')
    expect(() => options({ demo: 'nodes', simulateNodes: '3' })).toThrow('leave out --simulate-nodes')
  })
})

describe('kobe up --simulate-nodes', () => {
  it('simulates nothing unless asked', () => {
    expect(options({})).not.toHaveProperty('simulateNodes')
  })

  it.each(['0', '3', '500'])('takes %s nodes', (text) => {
    expect(options({ simulateNodes: text })).toMatchObject({ simulateNodes: Number(text) })
  })

  it.each(['-1', 'x', '501', '1.5', ''])('refuses %j and says which numbers it takes', (text) => {
    expect(() => options({ simulateNodes: text })).toThrow(ConfigError)
    expect(() => options({ simulateNodes: text })).toThrow('from 0 to 500')
  })
})
