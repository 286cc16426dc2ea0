// Turns the examples of client/README.md into one program, and reads the expected output from their comments.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../local/tools/folders.ts'

// Calls the receiver of the README with a valid delivery and with a modified one.
const DELIVERY_PROGRAM = `
import { signWebhook } from '@berth/client'
const secret = 'whsec_' + btoa('a secret of the README')
const body = JSON.stringify({ type: 'booking.created', data: { user: anna } })
const address = 'https://receiver.example/'
const delivery = { method: 'POST', body, headers: await signWebhook({ id: 'msg_1', body, secret }) }
const answers = [
  await receive(new Request(address, delivery), secret),
  await receive(new Request(address, { ...delivery, body: body + ' ' }), secret),
]
console.log(answers.map(({ status }) => status).join(' '))
`

export const listCodeBlocks = (language: string) =>
  [...readReadme().matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  )

export const createReadmeProgram = () => [...listCodeBlocks('ts'), DELIVERY_PROGRAM].join('\n')

/** The expected output: the comments after `console.log(…) //`. */
export const readExpectedOutput = () => [
  ...listCodeBlocks('ts').flatMap((block) =>
    [...block.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text),
  ),
  '204 400',
]

function readReadme(): string {
  return readFileSync(join(projectDirectory, 'client/README.md'), 'utf8')
}
