import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { type CancelTaskRequest, type GetTaskRequest, Role, Task } from '@a2a-js/sdk';
import type { SendMessageConfiguration, SendMessageRequest } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';

import type { JobResult } from '#lib/jobs';
import { type JsonObject, MaceError } from '#lib/kernel';

import type { Given, Operations } from '../edge/ask-operation.js';
import { type Operation, operationOf } from '../edge/operation.js';
import { personalDataIn } from '../edge/personal-data-in.js';
import type { AskedRequest } from '../edge/request-facts.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { JSON_TYPE, TEXT } from './agent-card.js';
import { CONTEXT_TAG, taskOf } from './job-task.js';

const ASK = operationOf(JobsController, 'ask');
const READ = operationOf(JobsController, 'read');
const EVENTS = operationOf(JobsController, 'events');
const NOTHING: Given = { params: {}, query: {}, body: undefined, headers: {} };
/** As an Idempotency-Key has it: a message that comes again asks nothing new. */
const MESSAGE_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const MODES = [TEXT, JSON_TYPE, 'text/*', 'application/*', '*/*'];

/**
 * Tasks of A2A that are jobs: what a request asks for are operations of REST, by the same permissions, forms, limits and
 * keys. Nothing is kept here, so that a restart loses nothing.
 */
export class JobTasks implements A2ARequestHandler {
  /** The request of the operation that was asked last; what fails is worded for it. */
  asked: AskedRequest;
  /** What was thrown, before the SDK made its own of it. */
  thrown: unknown;

  constructor(
    private readonly operations: Operations,
    private readonly outer: AskedRequest,
    private readonly isPersonal: (text: string) => boolean,
  ) {
    this.asked = outer;
  }

  sendMessage(request: SendMessageRequest): Promise<Task> {
    return this.kept(this.send(request));
  }

  getTask(request: GetTaskRequest): Promise<Task> {
    return this.kept(this.get(request));
  }

  cancelTask(request: CancelTaskRequest): Promise<Task> {
    return this.kept(this.cancel(request));
  }

  sendMessageStream(): never {
    throw unsupported('streams of a task');
  }

  resubscribe(): never {
    return this.sendMessageStream();
  }

  getAgentCard(): Promise<never> {
    return Promise.reject(unsupported('the card, but at its well-known address'));
  }

  getAuthenticatedExtendedAgentCard(): Promise<never> {
    return Promise.reject(unsupported('an extended agent card'));
  }

  listTasks(): Promise<never> {
    return Promise.reject(unsupported('ListTasks; GET /jobs lists jobs'));
  }

  createTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  getTaskPushNotificationConfig(): Promise<never> {
    return this.createTaskPushNotificationConfig();
  }

  listTaskPushNotificationConfigs(): Promise<never> {
    return this.createTaskPushNotificationConfig();
  }

  deleteTaskPushNotificationConfig(): Promise<never> {
    return this.createTaskPushNotificationConfig();
  }

  private async kept<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.thrown = error;
      throw error;
    }
  }

  private async send({ message, configuration }: SendMessageRequest): Promise<Task> {
    if (!message) throw invalid('message: what is asked');
    const { messageId, contextId, taskId, role, parts } = message;
    if (!MESSAGE_ID.test(messageId)) throw invalid('message.messageId: 1-128 characters of A-Za-z0-9._:-');
    if (role !== Role.ROLE_USER) throw invalid('message.role: ROLE_USER');
    if (this.isPersonal(contextId)) throw personalDataIn('message.contextId');
    if (taskId !== '') throw await this.refusedTurn(taskId);
    refuseWishes(configuration);
    if (parts.length === 0) throw invalid('message.parts: one text or more');
    const texts = parts.map(({ content }) => {
      if (content?.$case === 'text') return content.value;
      throw new ContentTypeNotSupportedError(`message.parts: texts (${TEXT}) alone`);
    });
    const body = {
      query_text: texts.join('\n'),
      ...(contextId === '' ? {} : { context_tags: { [CONTEXT_TAG]: contextId } }),
    };
    const prefer = configuration?.returnImmediately === true ? { prefer: 'respond-async' } : undefined;
    const headers = { 'idempotency-key': messageId, ...prefer };
    const job = await this.askedFor({ ...NOTHING, body, headers });
    return Task.fromJSON(taskOf(job, contextId || undefined));
  }

  private async get({ id, historyLength = 0 }: GetTaskRequest): Promise<Task> {
    if (historyLength < 0) throw invalid('historyLength: a whole number from 0');
    const job = await this.job(id);
    return Task.fromJSON(taskOf(job, await this.contextOf(id)));
  }

  private async cancel({ id }: CancelTaskRequest): Promise<Task> {
    const { status } = await this.job(id);
    throw new TaskNotCancelableError(`task ${id} is ${status}: a job that was recorded goes on to its end`);
  }

  /** A job that ended without an answer is a task like any other: its error stands in it. */
  private async askedFor(given: Given): Promise<JobResult> {
    try {
      const job = (await this.ask(ASK, given)) as JobResult;
      return job.status === 'running' ? await this.job(job.job_id) : job;
    } catch (error) {
      const id = error instanceof MaceError ? error.meta['job_id'] : undefined;
      if (typeof id !== 'string') throw error;
      return this.job(id);
    }
  }

  private async job(job_id: string): Promise<JobResult> {
    return (await this.ask(READ, { ...NOTHING, params: { job_id } })) as JobResult;
  }

  /** The context that was named with the question, as the job keeps it. */
  private async contextOf(job_id: string): Promise<string | undefined> {
    const query = { type: 'JOB_ACCEPTED', limit: '1' };
    const { items } = (await this.ask(EVENTS, { ...NOTHING, params: { job_id }, query })) as {
      readonly items: readonly { readonly data: JsonObject }[];
    };
    const tags = items[0]?.data['context_tags'] as JsonObject | string | undefined;
    const context = typeof tags === 'object' ? tags[CONTEXT_TAG] : undefined;
    return typeof context === 'string' ? context : undefined;
  }

  /** A job takes one question. */
  private async refusedTurn(taskId: string): Promise<Error> {
    const { status } = await this.job(taskId);
    return new UnsupportedOperationError(
      `message.taskId: task ${taskId} is ${status} and takes no more messages; leave it out`,
    );
  }

  private async ask(operation: Operation, given: Given): Promise<unknown> {
    this.asked = this.operations.requestOf(operation, given, this.outer);
    return (await this.operations.ask(operation, this.asked)).body;
  }
}

function refuseWishes(wishes: SendMessageConfiguration | undefined): void {
  if (!wishes) return;
  if (wishes.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
  if ((wishes.historyLength ?? 0) < 0) throw invalid('configuration.historyLength: a whole number from 0');
  const modes = wishes.acceptedOutputModes;
  if (modes.length > 0 && !modes.some((mode) => MODES.includes(mode)))
    throw new ContentTypeNotSupportedError(`configuration.acceptedOutputModes: ${TEXT} or ${JSON_TYPE} among them`);
}

function unsupported(what: string): Error {
  return new UnsupportedOperationError(`not offered: ${what}`);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
