/**
 * The rules of the CloudStack source by number, as they hold here: what each says, and what shows that it holds, or which later part
 * of the product it belongs to. C: rolling node settings. P: states moved by compare-and-set. D: the drain, scale-down, upgrade.
 */

export type RuleHome =
  /** Tests whose names begin with the number. */
  { readonly test: string } | { readonly later: string }

export interface Rule {
  readonly number: string
  readonly says: string
  readonly home: RuleHome
}

const here = (file: string): RuleHome => ({ test: `src/core/nodes/${file}.test.ts` })
const drain: RuleHome = { test: 'src/core/drain/plan-drain.test.ts' }
const API: RuleHome = { later: 'the CloudStack-compatible API' }
const PROVIDER: RuleHome = { later: 'the CloudStack provider' }
const SCALE: RuleHome = { later: 'scale-down' }
const UPGRADE: RuleHome = { later: 'upgrade' }

export const RULES: readonly Rule[] = [
  { number: 'C1', says: 'one request stores settings, starts a rollout or cancels one', home: API },
  { number: 'C2', says: 'settings are given for each node type', home: API },
  { number: 'C3', says: 'maxunavailable only with rollout=true, for workers', home: API },
  {
    number: 'C4',
    says: 'storing alone is fine in every state but during an operation or a destroy',
    home: here('store-settings'),
  },
  {
    number: 'C5',
    says: 'a rollout enters its state first, then the settings are stored; if that fails all is as before',
    home: here('plan-node-operation'),
  },
  {
    number: 'C6',
    says: 'settings of the cluster are copied to each type first; images never',
    home: here('store-settings'),
  },
  { number: 'C7', says: 'the response shows out-of-date counts and the last error', home: API },
  { number: 'C8', says: 'a rollout shrinks no disk and changes none of fixed size', home: here('store-settings') },
  { number: 'C9', says: 'groups that dedicate hosts are refused as input', home: here('store-settings') },
  { number: 'C10', says: 'a type that can lose no node is not rolled, the others are', home: here('pick-batch') },
  {
    number: 'C11',
    says: 'everything else is refused while an operation holds the cluster',
    home: here('store-settings'),
  },
  { number: 'C12', says: 'what is out of date', home: here('out-of-date') },
  { number: 'C13', says: 'etcd, then control, one at a time, then workers', home: here('pick-batch') },
  { number: 'C14', says: 'a batch is min(maxUnavailable, workers - 1), at least 1', home: here('pick-batch') },
  { number: 'C15', says: 'stopped and marked nodes go first', home: here('pick-batch') },
  {
    number: 'C16',
    says: 'the rest of the cluster is well, the quorum is safe, another control node serves',
    home: here('preflight'),
  },
  { number: 'C17', says: 'how the health of etcd is asked for', home: PROVIDER },
  { number: 'C18', says: 'mark, then cordon, then drain', home: here('plan-batch') },
  { number: 'C19', says: 'a foreign cordon: no mark, rolled, stays cordoned', home: here('plan-batch') },
  { number: 'C20', says: 'drained before it is stopped', home: here('plan-batch') },
  { number: 'C21', says: 'stop, change, start', home: here('plan-batch') },
  {
    number: 'C22',
    says: 'Ready, a new boot ID, no longer out of date, etcd healthy; then uncordoned and unmarked',
    home: here('plan-batch'),
  },
  { number: 'C23', says: 'each batch has a deadline', home: here('plan-batch') },
  { number: 'C24', says: 'a node whose drain fails never went down and is given back', home: here('plan-batch') },
  {
    number: 'C25',
    says: 'a cancel takes effect between batches, and while settings are stored',
    home: here('release'),
  },
  { number: 'C26', says: 'one release, however the run ended', home: here('release') },
  { number: 'C27', says: 'to resume is to run again', home: here('release') },
  { number: 'C28', says: 'the scanner never touches nodes', home: here('plan-managed-cluster') },
  { number: 'C29', says: 'where CloudStack keeps it', home: API },
  {
    number: 'C30',
    says: 'a simulated cluster drives it all',
    home: { test: 'test/integration/explore/nodes.test.ts' },
  },
  { number: 'P1', says: 'of two operations one gets the cluster', home: here('plan-node-operation') },
  {
    number: 'P2',
    says: 'the state is entered before anything is changed; the loser touches nothing',
    home: here('plan-node-operation'),
  },
  { number: 'P3', says: 'an operation moves the cluster only out of the state it set', home: here('cluster-state') },
  { number: 'P4', says: 'the transitions there are, and no others', home: here('cluster-state') },
  { number: 'P5', says: 'the scanner completes only what it started', home: here('plan-managed-cluster') },
  {
    number: 'P6',
    says: 'an operation that will never end is failed; a healthy Alert cluster recovers',
    home: here('plan-managed-cluster'),
  },
  {
    number: 'P7',
    says: 'a cluster of an operation that does not record its claim is left alone',
    home: here('plan-managed-cluster'),
  },
  { number: 'D1', says: 'one counter of attempts', home: drain },
  { number: 'D2', says: 'a retry comes after a wait', home: drain },
  { number: 'D3', says: 'no attempt is later than the deadline of the operation', home: drain },
  { number: 'D4', says: 'every wait follows from the deadline of the drain', home: drain },
  { number: 'D5', says: 'the error names the node and what was said last', home: drain },
  { number: 'D6', says: 'the caller uncordons, and only what it cordoned', home: here('plan-batch') },
  { number: 'D7', says: 'scale-down cordons all, drains all, or gives all back', home: SCALE },
  { number: 'D8', says: 'an upgrade waits for every node', home: UPGRADE },
  { number: 'D9', says: 'each node is reached at its own address', home: PROVIDER },
  { number: 'D10', says: 'a failed upgrade is resumed with the same target', home: UPGRADE },
  { number: 'D11', says: 'a node is skipped when it is done by every account', home: UPGRADE },
  { number: 'D12', says: 'versions compare exactly', home: UPGRADE },
  { number: 'D13', says: 'a failed upgrade cleans up before it lets go', home: UPGRADE },
]
