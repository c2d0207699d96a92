import { defineCommand } from '../define-command.ts'
import { editCommand, removeCommand, setCommand } from './config/change-target.ts'
import { currentCommand, listTargetsCommand, useCommand, viewCommand } from './config/choose-target.ts'
import { exportCommand, importCommand } from './config/copy-targets.ts'

export const configCommand = defineCommand({
  offline: true,
  details: [
    'Targets are kept in <config>/kobe/config.json (yours; <config> is XDG_CONFIG_HOME, else ~/.config) and in .kobe.toml of this',
    'folder or one above it (of a project). A target of the project hides yours of the same name as a whole.',
    'For one shell only: `export KOBE_TARGET=<name>`.',
  ].join('\n'),
  examples: [
    ['kobe config set ci --endpoint https://kobe.example.com --token-file ./token --global', 'name an endpoint'],
    ['kobe config use ci', 'talk to it from now on'],
    ['kobe config list', 'which there are, and which is in use'],
  ],
  subcommands: [
    { name: 'list', summary: 'List the targets', load: async () => listTargetsCommand },
    { name: 'current', summary: 'Print the name of the target in use', load: async () => currentCommand },
    { name: 'use', summary: 'Choose the target to talk to', load: async () => useCommand },
    { name: 'set', summary: 'Make or change a target', load: async () => setCommand },
    { name: 'remove', summary: 'Remove a target', load: async () => removeCommand },
    { name: 'view', summary: 'Print all targets, without their tokens', load: async () => viewCommand },
    { name: 'export', summary: 'Write your targets, tokens included, to a file', load: async () => exportCommand },
    { name: 'import', summary: 'Take targets from a file', load: async () => importCommand },
    { name: 'edit', summary: 'Open the file of your targets in an editor', load: async () => editCommand },
  ],
})
