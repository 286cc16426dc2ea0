// Holds a request against its endpoint's schemas, and keeps only what they name. Every invalid field is reported at once.
import * as yup from 'yup'
import type { ValidationContext } from '../../../shared/contracts/queries.ts'
import { dotted } from '../../../shared/contracts/strict.ts'
import { instantOf } from '../../../shared/date-times.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/refusal.ts'
import type { Context } from '../../context.ts'
import type { Endpoint } from '../endpoint.ts'

export type Input = { params: unknown; query: unknown; body: unknown }

export function validate(endpoint: Endpoint, ctx: Context): Input {
  const errors: FieldErrors = {}
  const context: ValidationContext = { now: instantOf(ctx.state.receivedMs) }
  const query = check(endpoint.query, ctx.query, errors, { part: 'query', context })
  const body = endpoint.body
    ? check(endpoint.body, ctx.state.upload?.fields ?? ctx.request.body, errors, { part: 'body', context })
    : undefined
  if (Object.keys(errors).length > 0) throw invalid(errors)

  // A path that cannot name anything is an unknown one, and that comes after what the request itself says.
  const pathErrors: FieldErrors = {}
  const params = check(endpoint.params, ctx.params as unknown, pathErrors, { part: 'path', context })
  if (Object.keys(pathErrors).length > 0) throw new Refusal('not_found', endpoint.missing)
  return { params, query, body }
}

type CheckOptions = { part: 'query' | 'body' | 'path'; context: ValidationContext }

/** Returns the value as the schema keeps it; adds what is wrong with it to `errors`. */
export function check(
  schema: yup.AnySchema,
  value: unknown,
  errors: FieldErrors,
  { part, context }: CheckOptions,
): unknown {
  try {
    return schema.validateSync(value, { abortEarly: false, stripUnknown: true, context })
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    const problems = error.inner.length > 0 ? error.inner : [error]
    for (const problem of problems) {
      const name = dotted(problem.path ?? '') || part
      errors[name] = [...new Set([...(errors[name] ?? []), ...problem.errors])]
    }
    return undefined
  }
}
