// Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise loads no tracing code. A fault in tracing never stops
// a process: if the packages or the collector are missing, the process continues.

import { observeStatements, type Statement } from '../database/statements.ts'
import type { TracingSettings } from '../settings/config.ts'
import type { Log } from '../utilities/log.ts'
import { withTimeout } from '../utilities/timeouts.ts'
import { getCurrentSpan, type SpanOptions, setTracer, startSpan } from './tracing.ts'

const STOP_MS_MAX = 3_000

/** Returns a function that sends the last spans and stops tracing. */
export async function startTracing(
  process: string,
  settings: TracingSettings | undefined,
  log: Log,
): Promise<() => Promise<void>> {
  if (!settings) return async () => undefined
  const openTelemetry = await import('./open-telemetry.ts').catch((error: Error) => {
    log.warn(
      { err: error },
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for tracing are not installed',
    )
  })
  if (!openTelemetry) return async () => undefined
  const tracer = openTelemetry.startTracer(`berth-${process}`, settings, log)
  setTracer(tracer)
  const stopObserving = observeStatements((statement) => {
    const parent = getCurrentSpan()
    const span = parent && startSpan(...describeStatement(statement))
    return span && ((error) => span.end(error))
  })
  log.info({ sampler: settings.sampler, ratio: settings.ratio }, 'tracing started')
  return async () => {
    stopObserving()
    setTracer(undefined)
    await withTimeout(tracer.stop(), STOP_MS_MAX, () => undefined)
  }
}

const OPERATION_PATTERN = /^\s*(?:--.*\n\s*)*([a-z]+)/i
const TABLE_PATTERN = /\b(?:from|into|update|copy)\s+"?([a-z_]+)\b/i

/** Describes a statement for a span. Leaves out the text, because it may contain values. */
export function describeStatement({ name, text, pool }: Statement): [string, SpanOptions] {
  const operation = OPERATION_PATTERN.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const table = TABLE_PATTERN.exec(text)?.[1]
  const summary = table === undefined ? operation : `${operation} ${table}`
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.summary': summary,
    'berth.pool': pool,
    ...(name === undefined ? {} : { 'berth.statement': name }),
  }
  return [name ?? summary, { kind: 'client', attributes }]
}
