import type { OpenAiTexts } from './texts-shape.ts';

export const EN: OpenAiTexts = {
  fault: {
    auth: (status) =>
      `The model did not accept the API key of this agent (${status}). Check the variable with the key on the agent's page, and that its value is right where the Coordinator runs.`,
    model: (model) =>
      `The address of this agent does not know the model "${model}". Change the model on the agent's page, or load it there first (Ollama: ollama pull ${model}).`,
    address:
      "There is no OpenAI-compatible interface at the address of this agent (404). Check the address on the agent's page: it usually ends in /v1.",
    quota:
      'The account of this agent with the provider of the model has no credit left. Top it up there, then send the message again.',
    rate: (seconds) =>
      seconds === undefined
        ? 'The model has too many requests at the moment (429). Wait a minute, then send the message again.'
        : `The model has too many requests at the moment (429). Send the message again in ${seconds} seconds.`,
    server: (status) =>
      `The server of the model has a fault (${status}). Send the message again in a moment; if it stays so, look at that server.`,
    unreachable: (host) =>
      `The model cannot be reached at ${host}. Check that its server runs (Ollama: ollama serve) and that the address on the agent's page is right.`,
    cut: 'The connection to the model broke in the middle of the answer. Send the message again.',
    silent: (seconds) =>
      `The model has sent nothing for ${seconds} seconds, so I stopped waiting. Send the message again; if it stays so, look at its server.`,
    tooLong:
      "This is longer than the model can read at once. Send a shorter message, begin a new context, or choose a model with a larger context window on the agent's page.",
    refused: (reason) =>
      `The model did not accept the request: ${reason} Change the model or the address on the agent's page.`,
    badReply:
      "The server of the model answered with something that is not understood. Check that the address on the agent's page is OpenAI-compatible.",
    filtered: 'The provider of the model has withheld the answer (content filter). Put it in other words.',
    cutShort:
      'The answer ends here because the model may not write more at once. Write "go on" to get the rest.',
    empty:
      "The model has answered with nothing. Send the message again; if it stays so, choose another model on the agent's page.",
    tooManySteps: (steps) =>
      `The model has used tools ${steps} times without coming to an answer, so I stopped it. Ask for less at once, or choose another model on the agent's page.`,
    endless:
      "The model wrote on without an end, so I stopped it. Ask again in other words; if it stays so, choose another model on the agent's page.",
    redirect:
      "The address of this agent sends requests on to another address, which I do not follow. Enter the address that answers itself on the agent's page.",
    badKey:
      'The API key of this agent has a character that cannot be sent, for example a line end. Correct the variable with the key where the Coordinator runs, then restart the agent.',
  },
  thinking: 'Thinking',
  waiting: (seconds) => `The model does not answer yet: next try in ${seconds} s`,
};
