// Which requests are traced, in OpenTelemetry's terms.

export type RootSampler = 'always_on' | 'always_off' | 'traceidratio'
const ROOT_SAMPLERS: RootSampler[] = ['always_on', 'always_off', 'traceidratio']
export const SAMPLERS = [...ROOT_SAMPLERS.map((root) => `parentbased_${root}` as const), ...ROOT_SAMPLERS]

export type TracingSettings = {
  sampler: (typeof SAMPLERS)[number]
  /** The share of traces that a sampler by ratio takes. */
  ratio: number
}
