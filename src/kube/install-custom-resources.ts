/** Installs CustomResourceDefinitions and waits until the server serves them. */

import type { CustomResourceDefinition } from '../api/core-resources.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../api/core-resources.ts'
import type { KubeClient } from './client.ts'
import type { Clock } from './clock.ts'
import { isKubeError } from './errors.ts'

const ESTABLISH_TIMEOUT_MS = 30_000

/**
 * Creates what is missing and updates what has changed; never deletes. An update keeps labels and annotations of others.
 * Throws when a definition is not Established within 30 s, naming it.
 */
export async function installCustomResources(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
  clock: Clock,
): Promise<void> {
  await Promise.all(definitions.map((definition) => install(client, definition)))
  await Promise.all(definitions.map((definition) => waitEstablished(client, definition.metadata.name ?? '', clock)))
}

async function install(client: KubeClient, definition: CustomResourceDefinition): Promise<void> {
  const name = definition.metadata.name ?? ''
  try {
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error
    const present = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name })
    await client.patch(
      CUSTOM_RESOURCE_DEFINITIONS,
      { name },
      {
        type: 'merge',
        body: { metadata: { resourceVersion: present.metadata.resourceVersion }, spec: definition.spec },
      },
    )
  }
}

async function waitEstablished(client: KubeClient, name: string, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + ESTABLISH_TIMEOUT_MS
  for (;;) {
    const definition = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name })
    const condition = definition.status?.conditions?.find(({ type }) => type === 'Established')
    if (condition?.status === 'True') return
    if (clock.monotonic() > deadline) {
      throw new Error(
        `${name} was not established within ${ESTABLISH_TIMEOUT_MS / 1000} s: ${condition?.message ?? 'no condition yet'}`,
      )
    }
    await clock.after(50)
  }
}
