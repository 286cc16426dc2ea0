// What becomes of each part of a form with a file: its file is stored, the fields that are asked for are read, and all
// else is read away. Each of them has a limit of its own, which its refusal names.
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import type { KoaBodyMiddlewareOptions } from 'koa-body'
import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { cutText } from '../../../shared/texts.ts'
import { formatBytes } from '../format-bytes.ts'
import { writeFile } from '../stored-files.ts'

export const FILE_FIELD = 'file'

const FIELDS_BYTES_MAX = 64 * 1024
const PARTS_MAX = 1_000
const FILENAME_LENGTH_MAX = 255

type FormidableOptions = NonNullable<KoaBodyMiddlewareOptions['formidable']>
type Part = Parameters<NonNullable<FormidableOptions['onPart']>>[0]

type FormLimits = { fileBytesMax: number; takesField(name: string): boolean }

export class FormParts {
  /** The ids of the files that were stored, or begun. */
  readonly stored: string[] = []
  readonly #pool: pg.Pool
  readonly #limits: FormLimits
  readonly #writings: Writable[] = []
  #parts = 0
  #fieldsBytes = 0
  #ignoredBytes = 0
  // The parser goes on with what it has at hand: from then on nothing is stored.
  #isRefused = false

  constructor(pool: pg.Pool, limits: FormLimits) {
    this.#pool = pool
    this.#limits = limits
  }

  /** For formidable, whose own limits name no figure: those of files are held by what they are written to. */
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
      // Named by us: the client's name is only ever a text.
      filename: (_name, _extension, part) =>
        this.#isFile(part) && this.stored.length === 0 && !this.#isRefused ? this.#begin() : '',
      fileWriteStreamHandler: (file: unknown) => {
        const { newFilename, originalFilename } = file as {
          newFilename: string
          originalFilename: string | null
        }
        return newFilename === '' ? this.#readAway() : this.#store(newFilename, originalFilename)
      },
      onPart: (part, handle) => {
        if (++this.#parts > PARTS_MAX) this.#isRefused = true
        // formidable takes what has a type for a file: some clients say of which type their texts are.
        const isOption = part.originalFilename == null && this.#limits.takesField(part.name ?? '')
        part.mimetype = isOption ? null : (part.mimetype ?? 'application/octet-stream')
        if (isOption) part.on('data', (text: Buffer) => this.#countField(text))
        handle(part)
      },
    }
  }

  /** Settled once nothing of it is written any more. */
  async close(): Promise<void> {
    await Promise.all(
      this.#writings
        .filter(({ closed }) => !closed)
        .map((writing) => new Promise((resolve) => writing.once('close', resolve).destroy())),
    )
  }

  /** formidable takes the end of a file for its success, also where its last bytes could not be stored. */
  throwFaults() {
    for (const { errored } of this.#writings) if (errored) throw errored
  }

  /** In our words, where it is the form that is wrong. */
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

  // As much as a file may be: whoever sends more is not read to the end.
  #readAway(): Writable {
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

/** Whatever a client sends as a name is one that can be stored; folders of theirs are nobody's business. */
export function formatFilename(name: string | null): string {
  const base = (name ?? '').replace(/^.*[/\\]/s, '')
  return cutText(base.replace(/\p{Cc}/gu, ' ').toWellFormed(), FILENAME_LENGTH_MAX)
}
