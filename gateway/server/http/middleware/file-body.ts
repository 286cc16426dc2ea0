// Reads a form with a file. The file goes into the table `files` in chunks as it arrives, so that an upload is never in
// memory as a whole, and only its id is passed on.
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import type { KoaBodyMiddlewareOptions } from 'koa-body'
import type pg from 'pg'
import { fieldName, message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { cutText } from '../../../../shared/utilities/texts.ts'
import type { Context, Middleware, Upload } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import { deleteFiles, formatBytes, writeFile } from '../../uploads/stored-files.ts'

export const FILE_FIELD = 'file'

const FIELDS_BYTES_MAX = 64 * 1024
const PARTS_MAX = 1_000
const FILENAME_LENGTH_MAX = 255
// The stored name of a part that is discarded.
const DISCARDED_FILE_NAME = ''

type FormFile = { newFilename: string; originalFilename: string | null; hash: string }
type FileBodyOptions = {
  takesField?: (name: string) => boolean
  /** Decides from the fields before the file whether the file may be stored. */
  mayStore?: (fieldsBefore: Record<string, string>) => boolean
}
type FormidableOptions = NonNullable<KoaBodyMiddlewareOptions['formidable']>

/** Reads a form with a file. Discards the fields that are not used. A file that may not be stored counts as missing. */
export function createFileBodyReader(services: Services, options: FileBodyOptions = {}): Middleware {
  const { config, primary } = services
  return async (ctx, next) => {
    const sent = ctx.get('Content-Type')
    if (!sent || ctx.is('multipart/form-data') === false) {
      throw new Refusal(
        'unsupported_media_type',
        message`The Content-Type must be “multipart/form-data”, with the file in the field “file”.`,
      )
    }
    if (!/^(identity)?$/i.test(ctx.get('Content-Encoding'))) {
      throw new Refusal(
        'unsupported_media_type',
        message`A form must not be compressed: send it without Content-Encoding.`,
      )
    }
    const parts = createFormParts(primary, config.fileBytesMax, options)
    try {
      await readForm(ctx, parts)
      ctx.state.upload = findUpload(ctx)
      await next()
    } catch (error) {
      // Deletes the file of a refused request. If the request may have become an accepted job, keeps the file: the job
      // deletes it.
      const isUnknown = error instanceof Refusal && error.code === 'outcome_unknown'
      const mayBeAccepted = isUnknown && /\brespond-async\b/i.test(ctx.get('Prefer'))
      if (!mayBeAccepted) {
        await parts.close()
        await deleteFiles(primary, parts.stored)
      }
      throw error
    }
  }
}

async function readForm(ctx: Context, parts: FormParts): Promise<void> {
  const { koaBody } = await import('koa-body')
  const others = { json: false, text: false, urlencoded: false }
  const middleware = koaBody({ ...others, multipart: true, formidable: parts.options })
  await middleware(ctx, async () => undefined).catch((error: unknown) => {
    throw explainUploadError(error, parts)
  })
  parts.throwFaults()
}

function findUpload(ctx: Context): Upload {
  const { files, body } = ctx.request
  const parts = [files?.[FILE_FIELD] ?? []].flat() as unknown as FormFile[]
  // A part without a filename is a text field, and was not stored.
  const [file, ...others] = parts.filter(({ originalFilename }) => originalFilename != null)
  if (!file && parts.length > 0)
    throw invalidFields({ [FILE_FIELD]: [message`${fieldName('file')} must be a file with a filename.`] })
  // Refuses several files, because it is unclear which one is meant. The files are listed in the order in
  // which they were read to the end, so the first one may be a file that was discarded.
  if (others.length > 0)
    throw invalidFields({ [FILE_FIELD]: [message`${fieldName('file')} must be a single file.`] })
  if (!file || file.newFilename === DISCARDED_FILE_NAME)
    throw invalidFields({ [FILE_FIELD]: [message`${fieldName('file')} is required.`] })
  return {
    fileId: file.newFilename,
    filename: formatFilename(file.originalFilename),
    sha256: file.hash,
    fields: (body ?? {}) as Record<string, unknown>,
  }
}

type FormParts = ReturnType<typeof createFormParts>

/** Stores the file of a form, reads its requested fields and discards the others. Each field and file has its
 * own limit. */
function createFormParts(
  pool: pg.Pool,
  fileBytesMax: number,
  { takesField = () => true, mayStore = () => true }: FileBodyOptions,
) {
  const stored: string[] = []
  const fields: Record<string, string> = Object.create(null)
  const writings: Writable[] = []
  let parts = 0
  let fieldsBytes = 0
  let ignoredBytes = 0
  // Set when the form is refused. The parser continues with the data that it already has, but nothing more is stored.
  let isRefused = false

  // Discards as much data as a file may have, and then cuts the client off.
  const discard = () => {
    const limit = formatBytes(fileBytesMax)
    const tooLarge = message`The form’s content, apart from its file and fields, is larger than ${limit}.`
    return new Writable({
      write(chunk: Buffer, _encoding, done) {
        ignoredBytes += chunk.length
        isRefused ||= ignoredBytes > fileBytesMax
        done(ignoredBytes > fileBytesMax ? new Refusal('too_large', tooLarge) : null)
      },
    })
  }

  // Turns off formidable's own limits, because its error messages name no limits. The stream that writes a
  // file enforces the file size limit.
  const options: FormidableOptions = {
    maxFileSize: Number.POSITIVE_INFINITY,
    maxTotalFileSize: Number.POSITIVE_INFINITY,
    maxFieldsSize: FIELDS_BYTES_MAX,
    maxFields: Number.POSITIVE_INFINITY,
    maxFiles: PARTS_MAX,
    allowEmptyFiles: true,
    minFileSize: 0,
    hashAlgorithm: 'sha256',
    // Each file gets a name chosen here. The client's name is only ever stored as text.
    filename(_name, _extension, { name, originalFilename }) {
      const isFile = name === FILE_FIELD && originalFilename != null
      if (!isFile || stored.length > 0 || isRefused || !mayStore(fields)) return DISCARDED_FILE_NAME
      const id = randomUUID()
      stored.push(id)
      return id
    },
    fileWriteStreamHandler(file: unknown) {
      const { newFilename, originalFilename } = file as FormFile
      if (newFilename === DISCARDED_FILE_NAME) return discard()
      const writing = writeFile(pool, newFilename, formatFilename(originalFilename), fileBytesMax)
      writings.push(writing)
      return writing
    },
    onPart(part, handle) {
      if (++parts > PARTS_MAX) isRefused = true
      // formidable treats any part with a content type as a file, but some clients send a type with text fields too.
      const name = part.name ?? ''
      const isOption = part.originalFilename == null && takesField(name)
      part.mimetype = isOption ? null : (part.mimetype ?? 'application/octet-stream')
      if (isOption)
        part.on('data', (text: Buffer) => {
          fieldsBytes += text.length
          if (fieldsBytes > FIELDS_BYTES_MAX) isRefused = true
          else fields[name] = (fields[name] ?? '') + text.toString()
        })
      handle(part)
    },
  }
  return {
    stored,
    options,
    async close(): Promise<void> {
      const open = writings.filter(({ closed }) => !closed)
      await Promise.all(
        open.map((writing) => new Promise((resolve) => writing.once('close', resolve).destroy())),
      )
    },
    /** Throws an error if writing fails: formidable treats the end of a file as success, even if the last
     * bytes could not be stored. */
    throwFaults() {
      for (const { errored } of writings) if (errored) throw errored
    },
    hasTooMany: () => parts > PARTS_MAX,
  }
}

function explainUploadError(error: unknown, parts: FormParts): unknown {
  const { httpCode, code } = error as { httpCode?: number; code?: unknown }
  if (httpCode === 413) {
    const tooMany = message`The form has more than ${PARTS_MAX} parts.`
    const tooLarge = message`The fields of the form are larger than ${formatBytes(FIELDS_BYTES_MAX)}.`
    return new Refusal('too_large', parts.hasTooMany() ? tooMany : tooLarge)
  }
  if (httpCode !== undefined || typeof code === 'number')
    return new Refusal('malformed_body', message`The body is not valid multipart/form-data.`)
  return error
}

/** Converts the filename that a client sent to a filename that can be stored, without folders. */
function formatFilename(name: string | null): string {
  const base = (name ?? '').replace(/^.*[/\\]/s, '')
  return cutText(base.replace(/\p{Cc}/gu, ' ').toWellFormed(), FILENAME_LENGTH_MAX)
}
