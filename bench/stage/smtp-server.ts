// A mail server in a process of its own. It accepts every mail, and logs the time and the recipient. PORT is the port
// it listens on.
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  logger: false,
  onData(stream, { envelope }, callback) {
    stream.resume()
    stream.on('end', () => {
      callback()
      for (const { address } of envelope.rcptTo) console.log(`mail ${Date.now()} ${address}`)
    })
  },
})
// Ignores the error when a stopped worker closes its connections.
server.on('error', () => undefined)
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))
// The channel to the benchmark closes when the benchmark has ended.
process.on('disconnect', () => process.exit(0))
