// Reads a form with a file: the file goes into `files` in chunks as it arrives, so that no upload is ever
// whole in memory, and only its id is passed on.
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Context, Middleware, Upload } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'
import { deleteFiles } from '../kit/stored-files.ts'
import { FILE_FIELD, FormParts, formatFilename } from './form-parts.ts'

type FormFile = { newFilename: string; originalFilename: string | null; hash: string }

/** Reads and discards the fields that are not taken. */
export function fileBody(services: Services, takesField: (name: string) => boolean = () => true): Middleware {
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
    const parts = new FormParts(primary, { fileBytesMax: config.fileBytesMax, takesField })
    try {
      await readForm(ctx, parts)
      ctx.state.upload = uploadOf(ctx)
      await next()
    } catch (error) {
      // Deletes the file of a refused request. An accepted job deletes its own file, and this may be one.
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
  const middleware = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    formidable: parts.options,
  })
  await middleware(ctx, async () => undefined).catch((error: unknown) => {
    throw parts.refusalOf(error)
  })
  parts.throwFaults()
}

function uploadOf(ctx: Context): Upload {
  const { files, body } = ctx.request
  const parts = [files?.[FILE_FIELD] ?? []].flat() as unknown as FormFile[]
  // A part without a filename is a text, and was not stored.
  const [file, ...others] = parts.filter(({ originalFilename }) => originalFilename != null)
  if (!file && parts.length > 0)
    throw invalid({ [FILE_FIELD]: [message`${field('file')} must be a file with a filename.`] })
  if (!file) throw invalid({ [FILE_FIELD]: [message`${field('file')} is required.`] })
  // With several files, it is unclear which one is meant.
  if (others.length > 0) throw invalid({ [FILE_FIELD]: [message`${field('file')} must be a single file.`] })
  return {
    fileId: file.newFilename,
    filename: formatFilename(file.originalFilename),
    sha256: file.hash,
    fields: (body ?? {}) as Record<string, unknown>,
  }
}
