// Which requests are traced, in OpenTelemetry's terms.

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
  /** The share of traces that a sampler by ratio takes. */
  ratio: number
}
