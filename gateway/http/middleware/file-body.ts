// Reads a form with a file: the file goes into `files` in chunks as it comes, so that no upload is ever whole in memory,
// and only its id travels on.
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import type pg from 'pg'
import { invalid, Refusal } from '../../../shared/refusal.ts'
import { cutText } from '../../../shared/texts.ts'
import type { Context, Middleware, Upload } from '../../context.ts'
import type { Services } from '../../services.ts'
import { formatBytes } from '../format-bytes.ts'
import { deleteFiles, writeFile } from '../stored-files.ts'

type FormFile = { newFilename: string; originalFilename: string | null; size: number; hash: string }

const FIELD = 'file'
const FILENAME_LENGTH_MAX = 255
const FIELDS_BYTES_MAX = 64 * 1024

export function fileBody(services: Services): Middleware {
  const { config, primary } = services
  return async (ctx, next) => {
    const sent = ctx.get('Content-Type')
    if (!sent || ctx.is('multipart/form-data') === false) {
      throw new Refusal(
        'unsupported_media_type',
        'The Content-Type must be “multipart/form-data”, with the file in the field “file”.',
      )
    }
    const stored: string[] = []
    try {
      await readForm(ctx, primary, config.fileBytesMax, stored)
      ctx.state.upload = uploadOf(ctx)
      await next()
    } catch (error) {
      // The file of a refused request is deleted. That of an accepted job is deleted by the job, and this may be one.
      const isUnknown = error instanceof Refusal && error.code === 'outcome_unknown'
      const mayBeAccepted = isUnknown && /\brespond-async\b/i.test(ctx.get('Prefer'))
      if (!mayBeAccepted) await deleteFiles(primary, stored)
      throw error
    }
  }
}

async function readForm(ctx: Context, pool: pg.Pool, bytesMax: number, stored: string[]): Promise<void> {
  const { koaBody } = await import('koa-body')
  const writings: Writable[] = []
  const middleware = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    formidable: {
      maxFileSize: bytesMax,
      maxTotalFileSize: bytesMax,
      maxFieldsSize: FIELDS_BYTES_MAX,
      maxFiles: 1,
      allowEmptyFiles: true,
      minFileSize: 0,
      hashAlgorithm: 'sha256',
      // Named by us: the client's name is only ever a text.
      filename: () => randomUUID(),
      fileWriteStreamHandler: (file: unknown) => {
        const { newFilename, originalFilename } = file as FormFile
        stored.push(newFilename)
        const writing = writeFile(pool, newFilename, formatFilename(originalFilename))
        writings.push(writing)
        return writing
      },
      // A part with a filename is a file, whether the client knows its type or not.
      onPart(part, handle) {
        if (part.originalFilename !== null && part.originalFilename !== undefined)
          part.mimetype ??= 'application/octet-stream'
        handle(part)
      },
    },
  })
  await middleware(ctx, async () => undefined).catch((error: unknown) => {
    throw formRefusal(error, bytesMax)
  })
  // formidable takes the end of a file for its success, also where its last bytes could not be stored.
  for (const { errored } of writings) if (errored) throw errored
}

function uploadOf(ctx: Context): Upload {
  const { files, body } = ctx.request
  const file = files?.[FIELD] as FormFile | undefined
  if (!file) throw invalid({ [FIELD]: ['file is required.'] })
  return {
    fileId: file.newFilename,
    filename: formatFilename(file.originalFilename),
    sha256: file.hash,
    fields: (body ?? {}) as Record<string, unknown>,
  }
}

// Whatever a client sends as a name is one that can be stored.
function formatFilename(name: string | null): string {
  return cutText((name ?? '').replace(/\p{Cc}/gu, ' ').toWellFormed(), FILENAME_LENGTH_MAX)
}

function formRefusal(error: unknown, bytesMax: number): unknown {
  const { httpCode, code } = error as { httpCode?: number; code?: unknown }
  if (httpCode === 413) return new Refusal('too_large', `The file is larger than ${formatBytes(bytesMax)}.`)
  if (httpCode !== undefined || typeof code === 'number') {
    return new Refusal('malformed_body', 'The body is not valid multipart/form-data.')
  }
  return error
}
