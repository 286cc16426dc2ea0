// Creates the keys for notifications to browsers, and prints them as lines for the file .env.
import { parseArgs } from 'node:util'
import webPush from 'web-push'
import { print } from '../local/tools/terminal.ts'
import { runCommand } from './command.ts'

const usage = `Creates the keys for notifications to browsers, and prints them. Changes nothing.

  npm run --silent push-keys >> .env

Use the same keys for web, worker and hooks, and keep them. After a change of keys, everybody has to turn notifications
on again.`

await runCommand(usage, async (args) => {
  parseArgs({ args, options: {} })
  const { publicKey, privateKey } = webPush.generateVAPIDKeys()
  print(`PUSH_PUBLIC_KEY=${publicKey}\nPUSH_PRIVATE_KEY=${privateKey}`)
})
