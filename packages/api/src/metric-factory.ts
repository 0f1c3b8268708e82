/** Creates Prometheus metrics in a registry. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Returns functions that create metrics with a name, a help text, and label names. */
export function metricFactory(registry: Registry) {
  const registers = [registry]
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    /** @param collect - called at each scrape to set the gauge */
    gauge: <Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[],
      collect?: (this: Gauge<Label>) => void,
    ) => new Gauge({ name, help, labelNames, registers, ...(collect && { collect }) }),
    histogram: <Label extends string>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly Label[] = [],
    ) => new Histogram({ name, help, labelNames, buckets, registers }),
  }
}
