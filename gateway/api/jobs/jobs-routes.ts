// Accepted jobs over HTTP: their progress, and their files.
import { acceptedJobAnswer } from '../../../shared/jobs/accepted-jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { textAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathUuid } from '../../../shared/schemas/fields.ts'
import type { Answer, Call } from '../../http/call.ts'
import { endpoint, resource } from '../../http/endpoint.ts'
import { attachment, EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { streamFile } from '../../http/kit/stored-files.ts'
import { findText } from '../../http/listing.ts'
import { findJobFile, jobById } from './jobs-queries.ts'

const params = object({ id: pathUuid() })

export const jobs = resource({ tag: 'Jobs', ability: 'user-write' }, [
  endpoint({
    params,
    method: 'GET',
    path: '/jobs/{id}',
    name: 'getJob',
    summary: 'Get an accepted job',
    description: 'Only the token that created the job can read it.',
    answer: acceptedJobAnswer,
    missing: message`This token has no job with this id.`,
    handle: answerJob,
  }),
  endpoint({
    params,
    method: 'GET',
    path: '/jobs/{id}/file',
    name: 'downloadJobFile',
    summary: 'Download the file of an accepted job',
    sendsFile: true,
    answer: { status: 200, schema: textAnswer(), contentTypes: Object.values(EXPORT_CONTENT_TYPES) },
    missing: message`This job does not exist, has no file, or its file has expired.`,
    handle: sendJobFile,
  }),
])

type JobCall = Call<{ id: string }>

async function answerJob({ params, token, baseUrl, services }: JobCall): Promise<Answer | undefined> {
  const body = await findText(services.primary, jobById, [params.id, token.id, baseUrl])
  if (body === undefined) return undefined
  // A client that sees here that the job is done also sees its results in later reads.
  await services.reads.noteWrite({ type: 'token', id: token.id })
  return { status: 200, body }
}

async function sendJobFile({ params, token, services }: JobCall): Promise<Answer | undefined> {
  const file = await findJobFile(services.primary, params.id, token.id)
  if (!file) return undefined
  const body = streamFile(services.primary, file.fileId, Promise.resolve())
  return { status: 200, body, contentType: file.contentType ?? undefined, headers: attachment(file.name) }
}
