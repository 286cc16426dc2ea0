// Reads a form as a browser sends it, with or without a file. Refuses a bad form before parsing it where
// possible.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { createTextBodyReader } from '../../../server/http/middleware/body.ts'
import { createFileBodyReader } from '../../../server/http/middleware/file-body.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { FormLimits } from './form-limits.ts'

/** The fields of a form as sent. Each field has all its values. */
export type FormValues = Record<string, string[]>

/** A row of related fields, in which empty fields are absent. */
export type FormRow = { [column: string]: string | undefined }

type UseForm<Result> = (values: FormValues, failure?: Refusal) => Promise<Result>

type FormReading = FormLimits & {
  /** Receives the token of the form before the form is parsed, and throws to refuse the form. */
  checkToken?: ((sent: string) => void) | undefined
}
/** `hasToken` tells whether the form was sent with a valid token. Without a valid token, an uploaded file is
 * not stored. */
type FileReading = { takesFiles: boolean; hasToken(sent: string): boolean }

const URL_ENCODED = 'application/x-www-form-urlencoded'

/** Passes the form to `use`. The uploaded file is kept only if `use` does not throw. */
export async function readForm<Result>(
  ctx: Context,
  services: Services,
  reading: FormReading & FileReading,
  use: UseForm<Result>,
): Promise<Result> {
  if (reading.takesFiles && ctx.is('multipart/form-data')) return readWithFile(ctx, services, reading, use)
  return use(groupByName(await readUrlEncoded(ctx, reading)))
}

export const isUrlEncoded = (ctx: Context) => Boolean(ctx.is(URL_ENCODED))

export async function readUrlEncoded(
  ctx: Context,
  { bytesMax, fieldsMax, checkToken }: FormReading,
): Promise<Array<[string, string]>> {
  const text = await findTextReader(bytesMax)(ctx)
  if (hasMoreFields(text, fieldsMax))
    throw new Refusal('too_large', message`The form has more than ${fieldsMax} fields.`)
  checkToken?.(/(?:^|&)_csrf=([\w-]*)/.exec(text)?.[1] ?? '')
  return [...new URLSearchParams(text)]
}

const textReadersByLimit = new Map<number, ReturnType<typeof createTextBodyReader>>()

function findTextReader(bytesMax: number) {
  const known = textReadersByLimit.get(bytesMax) ?? createTextBodyReader([URL_ENCODED], bytesMax)
  textReadersByLimit.set(bytesMax, known)
  return known
}

function hasMoreFields(text: string, max: number): boolean {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1 && count <= max; at = text.indexOf('&', at + 1)) count++
  return count > max
}

async function readWithFile<Result>(
  ctx: Context,
  services: Services,
  { hasToken }: FileReading,
  use: UseForm<Result>,
): Promise<Result> {
  let result: { value: Result } | undefined
  const step = async () => {
    // If the user chose no file, the browser sends a file without a name.
    const missing = ctx.state.upload?.filename
      ? undefined
      : invalidFields({ file: [message`Choose a file.`] })
    result = { value: await use(toFormValues(ctx.state.upload?.fields), missing) }
  }
  // Reads the token before the file, because Berth's forms send the token first.
  const mayStore = ({ _csrf = '' }: Record<string, string>) => hasToken(_csrf)
  await createFileBodyReader(services, { mayStore })(ctx, step).catch(async (error: unknown) => {
    const isIncomplete = error instanceof Refusal && error.errors?.file && !ctx.state.upload
    if (!isIncomplete) throw error
    result = {
      value: await use(toFormValues(ctx.request.body), invalidFields({ file: [message`Choose a file.`] })),
    }
  })
  if (!result) throw new Error('The form has not been read')
  return result.value
}

function toFormValues(body: unknown): FormValues {
  const pairs = Object.entries((body ?? {}) as Record<string, unknown>)
  return groupByName(
    pairs.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)])),
  )
}

function groupByName(pairs: Array<[string, string]>): FormValues {
  const values: FormValues = Object.create(null)
  for (const [name, value] of pairs) {
    const known = values[name]
    if (known) known.push(value)
    else values[name] = [value]
  }
  return values
}

/**
 * Groups fields with names such as `closed.from` and `closed.to` as columns of the rows of `closed`. Leaves out empty
 * rows.
 */
export function readRows(values: FormValues, name: string): FormRow[] {
  const columns = Object.keys(values).filter((each) => each.startsWith(`${name}.`))
  const length = Math.max(0, ...columns.map((each) => values[each]?.length ?? 0))
  const rows = Array.from({ length }, (_, at) =>
    columns.map((each) => [each.slice(name.length + 1), values[each]?.[at]?.trim() ?? '']),
  )
  return rows
    .map((row) => Object.fromEntries(row.filter(([, value]) => value !== '')))
    .filter((row) => Object.keys(row).length > 0)
}
