// Handles the parts of a form with a file: stores its file, reads the requested fields, and discards
// everything else. Each of the three has its own limit, which its refusal names.
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import type { KoaBodyMiddlewareOptions } from 'koa-body'
import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { cutText } from '../../../shared/utilities/texts.ts'
import { formatBytes } from '../kit/format-bytes.ts'
import { writeFile } from '../kit/stored-files.ts'

export const FILE_FIELD = 'file'

const FIELDS_BYTES_MAX = 64 * 1024
const PARTS_MAX = 1_000
const FILENAME_LENGTH_MAX = 255

type FormidableOptions = NonNullable<KoaBodyMiddlewareOptions['formidable']>
type Part = Parameters<NonNullable<FormidableOptions['onPart']>>[0]

type FormLimits = { fileBytesMax: number; takesField(name: string): boolean }

export class FormParts {
  /** The ids of the files that are stored, or begun. */
  readonly stored: string[] = []
  readonly #pool: pg.Pool
  readonly #limits: FormLimits
  readonly #writings: Writable[] = []
  #parts = 0
  #fieldsBytes = 0
  #ignoredBytes = 0
  // The parser goes on with the data it already has; nothing more is stored once this is set.
  #isRefused = false

  constructor(pool: pg.Pool, limits: FormLimits) {
    this.#pool = pool
    this.#limits = limits
  }

  /**
   * For formidable, whose own errors name no figures; the stream that a file is written to enforces the limit
   * of files.
   */
  get options(): FormidableOptions {
    return {
      maxFileSize: Number.POSITIVE_INFINITY,
      maxTotalFileSize: Number.POSITIVE_INFINITY,
      maxFieldsSize: FIELDS_BYTES_MAX,
      maxFields: Number.POSITIVE_INFINITY,
      maxFiles: PARTS_MAX,
      allowEmptyFiles: true,
      minFileSize: 0,
      hashAlgorithm: 'sha256',
      // Files get a name that we choose: the client's name is only ever stored as text.
      filename: (_name, _extension, part) =>
        this.#isFile(part) && this.stored.length === 0 && !this.#isRefused ? this.#begin() : '',
      fileWriteStreamHandler: (file: unknown) => {
        const { newFilename, originalFilename } = file as {
          newFilename: string
          originalFilename: string | null
        }
        return newFilename === '' ? this.#discard() : this.#store(newFilename, originalFilename)
      },
      onPart: (part, handle) => {
        if (++this.#parts > PARTS_MAX) this.#isRefused = true
        // formidable treats any part with a type as a file, but some clients send a type with their texts.
        const isOption = part.originalFilename == null && this.#limits.takesField(part.name ?? '')
        part.mimetype = isOption ? null : (part.mimetype ?? 'application/octet-stream')
        if (isOption) part.on('data', (text: Buffer) => this.#countField(text))
        handle(part)
      },
    }
  }

  /** Resolves once nothing is being written any more. */
  async close(): Promise<void> {
    await Promise.all(
      this.#writings
        .filter(({ closed }) => !closed)
        .map((writing) => new Promise((resolve) => writing.once('close', resolve).destroy())),
    )
  }

  /** formidable treats the end of a file as success, even if its last bytes could not be stored. */
  throwFaults() {
    for (const { errored } of this.#writings) if (errored) throw errored
  }

  /** Replaces an error by our own refusal if the form is at fault. */
  refusalOf(error: unknown): unknown {
    const { httpCode, code } = error as { httpCode?: number; code?: unknown }
    if (httpCode === 413 && this.#parts > PARTS_MAX)
      return new Refusal('too_large', message`The form has more than ${PARTS_MAX} parts.`)
    if (httpCode === 413)
      return new Refusal(
        'too_large',
        message`The fields of the form are larger than ${formatBytes(FIELDS_BYTES_MAX)}.`,
      )
    if (httpCode !== undefined || typeof code === 'number')
      return new Refusal('malformed_body', message`The body is not valid multipart/form-data.`)
    return error
  }

  #countField(text: Buffer) {
    this.#fieldsBytes += text.length
    if (this.#fieldsBytes > FIELDS_BYTES_MAX) this.#isRefused = true
  }

  #isFile({ name, originalFilename }: Part): boolean {
    return name === FILE_FIELD && originalFilename != null
  }

  #begin(): string {
    const id = randomUUID()
    this.stored.push(id)
    return id
  }

  #store(id: string, originalFilename: string | null): Writable {
    const writing = writeFile(this.#pool, id, formatFilename(originalFilename), this.#limits.fileBytesMax)
    this.#writings.push(writing)
    return writing
  }

  // Up to as much as a file may have: a client that sends more is cut off.
  #discard(): Writable {
    const { fileBytesMax } = this.#limits
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#ignoredBytes += chunk.length
        if (this.#ignoredBytes <= fileBytesMax) return done()
        this.#isRefused = true
        const limit = formatBytes(fileBytesMax)
        done(
          new Refusal(
            'too_large',
            message`What the form has beside its file and its fields is larger than ${limit}.`,
          ),
        )
      },
    })
  }
}

/** Turns whatever a client sends as a name into one that can be stored, without the client's folders. */
export function formatFilename(name: string | null): string {
  const base = (name ?? '').replace(/^.*[/\\]/s, '')
  return cutText(base.replace(/\p{Cc}/gu, ' ').toWellFormed(), FILENAME_LENGTH_MAX)
}
