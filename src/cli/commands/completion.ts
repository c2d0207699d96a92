import { COMPLETION_SCRIPTS, SHELLS } from '../completion/scripts.ts'
import { defineCommand } from '../define-command.ts'
import { EXIT } from '../user-error.ts'

export const completionCommand = defineCommand({
  offline: true,
  details: [
    'Commands, options, pools, leases and targets are completed. As a plugin, `kubectl kobe <tab>` completes by itself where',
    '`kubectl_complete-kobe` is on the PATH.',
  ].join('\n'),
  examples: [
    ['kobe completion bash > /etc/bash_completion.d/kobe', 'bash, for everybody'],
    ['kobe completion zsh > ~/.zfunc/_kobe', 'zsh, where ~/.zfunc is in fpath'],
    ['kobe completion fish > ~/.config/fish/completions/kobe.fish', 'fish'],
  ],
  args: [{ name: 'shell', description: 'which shell', required: true, choices: SHELLS }],
  async run({ output }, { args: [name] }) {
    const shell = SHELLS.find((known) => known === name)
    if (shell === undefined) return EXIT.usage
    output.line(COMPLETION_SCRIPTS[shell].trimEnd())
    return EXIT.ok
  },
})
