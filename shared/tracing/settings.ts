// Which requests are traced, as OpenTelemetry calls it.

export const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

export type TracingSettings = {
  sampler: (typeof SAMPLERS)[number]
  /** What part of all traces a sampler by ratio takes. */
  ratio: number
}
