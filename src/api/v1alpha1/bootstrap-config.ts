/** BootstrapConfig: files and a job that prepare a new member. Its content is part of the spec hash of the pools that use it. */
import type { Static } from '@sinclair/typebox'
import { choice, defaulted, type Input, list, name, object, optional, stringMap, text } from '../field.ts'
import { kindSchema, type ObjectWithoutStatus } from '../kind.ts'
import type { KubeObject } from '../resource.ts'

const BootstrapJobSchema = object('A Job that runs against the new member with its admin kubeconfig.', {
  image: name('Container image.'),
  imagePullPolicy: optional(choice(['Always', 'IfNotPresent', 'Never'], 'When the image is pulled.')),
  command: defaulted(list('Entry point of the container; that of the image when empty.', text('One argument.')), []),
  args: defaulted(list('Arguments of the container.', text('One argument.')), []),
  env: defaulted(stringMap('Environment variables of the container.'), {}),
})

export const BootstrapSpecSchema = object('What is done. `{{name}}` is replaced by the parameter of that name.', {
  files: defaulted(
    stringMap(
      'File bodies by name. Those ending in `.yaml` or `.yml` are applied to the member in order of their names.',
    ),
    {},
  ),
  job: optional(BootstrapJobSchema),
})

export const BootstrapConfigSchema = kindSchema(
  'Files and a job that prepare a new member of a pool.',
  BootstrapSpecSchema,
)

export type BootstrapSpec = Static<typeof BootstrapSpecSchema>
export type BootstrapJob = Static<typeof BootstrapJobSchema>
export interface BootstrapConfig extends ObjectWithoutStatus<typeof BootstrapSpecSchema> {}

/** What an author writes: fields with a default may be left out. */
export interface BootstrapConfigInput extends KubeObject {
  spec: Input<typeof BootstrapSpecSchema>
}
