// Tests files that are broken, malicious or of the wrong type: each is refused with a sentence, quickly and with little
// memory.
import { expect } from 'chai'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import {
  createEmptyRows,
  FILES_WITHOUT_LIST,
  HARMFUL_FILES,
  OTHER_FORMAT_FILES,
} from './support/hostile-files.ts'
import { readRefusal, readRefusedMessage, stageFile } from './support/read.ts'

describe('the spreadsheet reader', () => {
  for (const { title, file, status, says } of [...OTHER_FORMAT_FILES, ...FILES_WITHOUT_LIST]) {
    it(`refuses a bad file: ${title}`, async () => {
      const { problem, code } = await readRefusedMessage(file())
      expect(writeEnglish(problem)).to.match(says)
      expect(code).to.equal(status === 413 ? 'too_large' : 'validation_failed')
    })
  }

  // Reads the files as the import does, within the limits of the import.
  for (const { title, file, status, says } of HARMFUL_FILES) {
    it(`refuses a bad file: ${title}`, async () => {
      const refusal = await readRefusal(file())
      expect(refusal.message).to.match(says)
      expect(refusal.status).to.equal(status)
      expect(refusal.errors).to.deep.equal(status === 422 ? { file: [refusal.errors?.file?.[0]] } : undefined)
    })
  }

  it('reads a file with a million empty rows', async () => {
    const { rows } = await stageFile(createEmptyRows())
    expect(rows.map(({ row_number }) => row_number)).to.deep.equal([1_048_576])
  })
})
