// The API endpoints for accepted jobs: their progress, and their files.
import { acceptedJobAnswer, jobJson } from '../../../../shared/jobs/accepted-jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import * as answer from '../../../../shared/schemas/answers.ts'
import { object, pathUuid } from '../../../../shared/schemas/fields.ts'
import { selectDataBodySql } from '../../../../shared/schemas/json.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import { declareEndpoint, declareResourceEndpoints } from '../../../server/http/endpoint.ts'
import { createAttachmentHeaders, EXPORT_CONTENT_TYPES } from '../../../server/http/export-answer.ts'
import { findListingText } from '../../../server/http/listing.ts'
import { streamFile } from '../../../server/uploads/stored-files.ts'

const jobBodyJson = jobJson(`(
  SELECT $3::text || '/api/v1/jobs/' || jobs.id || '/file' FROM files WHERE files.id = jobs.file_id AND files.expires_at > now()
)`)

const jobById = {
  name: 'find-job',
  text: selectDataBodySql(jobBodyJson, 'jobs WHERE jobs.id = $1 AND jobs.token_id = $2'),
}

const FIND_FILE_STATEMENT = {
  name: 'find-job-file',
  text: `
    SELECT files.id AS "fileId", files.name, files.content_type AS "contentType"
    FROM jobs JOIN files ON files.id = jobs.file_id
    WHERE jobs.id = $1 AND jobs.token_id = $2 AND files.expires_at > now()`,
}

type JobFile = { fileId: string; name: string; contentType: string | null }

const params = object({ id: pathUuid() })

export const jobEndpoints = declareResourceEndpoints({ tag: 'Jobs', ability: 'user-write' })({
  getJob: declareEndpoint('GET /jobs/{id}', {
    params,
    summary: 'Get an accepted job',
    description: 'Only the token that created the job can read it.',
    answer: acceptedJobAnswer,
    missing: message`This token has no job with this id.`,
    handle: answerJob,
  }),
  downloadJobFile: declareEndpoint('GET /jobs/{id}/file', {
    params,
    summary: 'Download the file of an accepted job',
    sendsFile: true,
    answer: { status: 200, schema: answer.file(), contentTypes: Object.values(EXPORT_CONTENT_TYPES) },
    missing: message`This job does not exist, has no file, or its file has expired.`,
    handle: sendJobFile,
  }),
})

type JobCall = Call<{ id: string }>

async function answerJob({ params, token, baseUrl, services }: JobCall): Promise<Answer | undefined> {
  const body = await findListingText(services.primary, jobById, [params.id, token.id, baseUrl])
  if (body === undefined) return undefined
  // Once a client has seen that the job is done, that client's later reads include the job's results.
  await services.reads.noteWrite({ type: 'token', id: token.id })
  return { status: 200, body }
}

async function sendJobFile({ params, token, services }: JobCall): Promise<Answer | undefined> {
  const { rows } = await services.primary.query<JobFile>({
    ...FIND_FILE_STATEMENT,
    values: [params.id, token.id],
  })
  const [file] = rows
  if (!file) return undefined
  const body = streamFile(services.primary, file.fileId, Promise.resolve())
  return {
    status: 200,
    body,
    contentType: file.contentType ?? undefined,
    headers: createAttachmentHeaders(file.name),
  }
}
