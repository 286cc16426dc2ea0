// Reads a form as a browser sends it, with or without a file. It refuses a bad form before parsing it, where it can.
import { message } from '../../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../../shared/messages/refusal.ts'
import { textBody } from '../../../server/http/middleware/body.ts'
import { fileBody } from '../../../server/http/middleware/file-body.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { FormLimits } from './form-limits.ts'

/** The fields as sent, each with all its values. */
export type FormValues = Record<string, string[]>

/** A row of fields that belong together. Empty ones are absent. */
export type Row = { [column: string]: string | undefined }

type UseForm<Result> = (values: FormValues, failure?: Refusal) => Promise<Result>

type FormReading = FormLimits & {
  /** Gets the token that the form was sent with, before the form is parsed; throws to refuse it. */
  checkToken?: ((sent: string) => void) | undefined
}
/** `hasToken` gets the token that the form was sent with. Without a valid one, an uploaded file is not stored. */
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
  const text = await textReader(bytesMax)(ctx)
  if (hasMoreFields(text, fieldsMax))
    throw new Refusal('too_large', message`The form has more than ${fieldsMax} fields.`)
  checkToken?.(/(?:^|&)_csrf=([\w-]*)/.exec(text)?.[1] ?? '')
  return [...new URLSearchParams(text)]
}

const textReaders = new Map<number, ReturnType<typeof textBody>>()

function textReader(bytesMax: number) {
  const known = textReaders.get(bytesMax) ?? textBody([URL_ENCODED], bytesMax)
  textReaders.set(bytesMax, known)
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
    // If no file was chosen, the browser sends one without a name.
    const missing = ctx.state.upload?.filename ? undefined : invalid({ file: [message`Choose a file.`] })
    result = { value: await use(fieldsOf(ctx.state.upload?.fields), missing) }
  }
  // Our forms send the token first.
  const mayStore = ({ _csrf = '' }: Record<string, string>) => hasToken(_csrf)
  await fileBody(services, { mayStore })(ctx, step).catch(async (error: unknown) => {
    const isIncomplete = error instanceof Refusal && error.errors?.file && !ctx.state.upload
    if (!isIncomplete) throw error
    result = { value: await use(fieldsOf(ctx.request.body), invalid({ file: [message`Choose a file.`] })) }
  })
  if (!result) throw new Error('The form has not been read')
  return result.value
}

function fieldsOf(body: unknown): FormValues {
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

/** Fields called `closed.from` and `closed.to` are columns of the rows of `closed`. Leaves out empty rows. */
export function readRows(values: FormValues, name: string): Row[] {
  const columns = Object.keys(values).filter((each) => each.startsWith(`${name}.`))
  const length = Math.max(0, ...columns.map((each) => values[each]?.length ?? 0))
  const rows = Array.from({ length }, (_, at) =>
    columns.map((each) => [each.slice(name.length + 1), values[each]?.[at]?.trim() ?? '']),
  )
  return rows
    .map((row) => Object.fromEntries(row.filter(([, value]) => value !== '')))
    .filter((row) => Object.keys(row).length > 0)
}
