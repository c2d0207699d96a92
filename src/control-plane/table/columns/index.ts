/** The columns of the built-in kinds, by group and kind. */
import type { PrinterColumn } from '../../registry/resource-definition.ts'
import { column, NAME } from '../column.ts'
import { clusterColumns } from './cluster.ts'
import { admissionColumns, networkColumns, storageColumns } from './network-storage.ts'
import { podColumns } from './pod.ts'
import { workloadColumns } from './workloads.ts'

/** Of a kind for which the real server has no printer: name and creation time. */
const PLAIN: readonly PrinterColumn[] = [
  NAME,
  column('Created At', ({ metadata }) => metadata.creationTimestamp, 'date'),
]

const COLUMNS: Readonly<Record<string, readonly PrinterColumn[]>> = {
  '/Pod': podColumns,
  ...workloadColumns,
  ...clusterColumns,
  ...networkColumns,
  ...storageColumns,
  ...admissionColumns,
}

export function builtinColumns(group: string, kind: string): readonly PrinterColumn[] {
  return COLUMNS[`${group}/${kind}`] ?? PLAIN
}
