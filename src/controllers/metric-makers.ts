/** Metrics of one registry, and the end of a series. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface MetricMakers {
  counter<L extends string>(name: string, help: string, labelNames: L[], onScrape?: () => void): Counter<L>
  gauge<L extends string>(name: string, help: string, labelNames: L[]): Gauge<L>
  histogram<L extends string>(name: string, help: string, options: { labelNames: L[]; buckets: number[] }): Histogram<L>
}

export function metricMakers(registry: Registry): MetricMakers {
  const registers = [registry]
  return {
    counter: (name, help, labelNames, onScrape) =>
      new Counter({ name, help, labelNames, registers, ...(onScrape === undefined ? {} : { collect: onScrape }) }),
    gauge: (name, help, labelNames) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name, help, options) => new Histogram({ name, help, ...options, registers }),
  }
}

export interface LabelledMetric {
  get(): Promise<{ values: { labels: Partial<Record<string, string | number>> }[] }>
  remove(labels: Partial<Record<string, string | number>>): void
}

/**
 * Removes every series of the metric whose label has that value. prom-client removes one exact label set at a time; histograms
 * answer a row per bucket, whose `le` is not a label to remove.
 */
export async function removeSeries(metric: LabelledMetric, label: string, value: string): Promise<void> {
  const { values } = await metric.get()
  for (const { labels } of values) {
    if (labels[label] !== value) continue
    const { le: _, ...own } = labels
    metric.remove(own)
  }
}
