import { defineCommand } from '../../define-command.ts'
import { OPERATION_ARGUMENT } from '../../nodes/cluster-argument.ts'
import { findOperation } from '../../nodes/find-operation.ts'
import { printOperation } from '../../nodes/operation-table.ts'
import { printNotes } from '../../planner-notes.ts'

export const explainOperationCommand = defineCommand({
  details: 'What it does, waits for or refuses at this moment, in the words of the planner that decides it.',
  examples: [
    ['kobe node explain prod-1', 'why the operation that holds this cluster does not go on'],
    ['kobe node explain prod-1 -o wide', 'with the notes that are details'],
  ],
  args: [OPERATION_ARGUMENT],
  async run(context, { args: [asked = ''] }) {
    const { output, format, signal } = context
    const api = await context.api()
    const { name } = await findOperation(asked, { api, signal, orLast: true })
    const explanation = await api.call('explainOperation', { params: { name } }, { signal })
    if (format === 'json' || format === 'yaml') {
      await output.data(explanation, format)
      return 0
    }
    const { operation, notes } = explanation
    printOperation(context, operation)
    printNotes(output, notes, format === 'wide')
    return 0
  },
})
