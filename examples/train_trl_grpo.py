"""GRPO with TRL on ACEBench under a curriculum, in one file: a tiny random Qwen3, its own tokenizer, no network, CPU.

The model has 0.4 M parameters and no words: it shows that everything works together, not that it learns.  Put your own in its
place (``AutoModelForCausalLM.from_pretrained``) and leave the warm start out.

Needs the extra ``trl`` and PyTorch.  Run with ``python examples/train_trl_grpo.py [--steps 4] [--warmup 100]``.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # environment_factory is marked experimental
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import gymnasium as gym

import opsgym  # noqa: F401  # registers the ids
from opsgym.curricula import Ladder, TaskSpace, TRLCurriculum, Uniform
from opsgym.wrappers import ObservationLimit

SPACE = TaskSpace.of(
    "ACEBench-v0", {"hidden": (1, 3)}, fixed={"tier": "easy", "rows": 3, "cols": 3, "decoys": 0, "domain": "course"}
)
QUERY = "query_course_candidate_from_attribute"
TOOLS = [QUERY, "set_slot", "done"]  # schemas are most of a prompt: offer what is needed


def make_env(split: str = "train") -> gym.Env[Any, Any]:
    """One environment of text, whose results stay short."""
    return ObservationLimit(gym.make("ACEBench-v0", split=split, max_steps=24, disable_env_checker=True), max_chars=400)


def transcripts(episodes: int) -> Iterator[dict[str, Any]]:
    """Dialogues of a teacher, who looks up what keeps the rules of each slot and chooses what is right."""
    env = make_env()
    for ticket in Uniform(SPACE, seed=1).ask(episodes):
        brief, info = env.reset(seed=ticket.seed, options=ticket.options())
        messages = [{"role": "user", "content": brief}]
        task = env.get_wrapper_attr("task")
        for slot, call in zip([*env.get_wrapper_attr("world").board.instance.slots, None], task.oracle, strict=True):
            found: list[str] | None = None
            for rule in () if slot is None else slot.rules:
                place = {"row": call.arguments["row"], "col": call.arguments["col"]}
                among = {} if found is None else {"among": found}
                looked = {**place, "field": rule.attribute, "operator": rule.sense, "value": rule.bound, **among}
                found = list(json.loads(said(env, messages, QUERY, looked))["result"]["matches"])
            said(env, messages, call.name, call.arguments)
        tools = [schema for schema in info["tools"] if schema["function"]["name"] in TOOLS]
        yield {"messages": messages, "tools": json.dumps(tools)}


def said(env: gym.Env[Any, Any], messages: list[dict[str, Any]], name: str, arguments: dict[str, Any]) -> str:
    """Play a call, and write it and its result down.

    The arguments are text: as structs, Arrow would give every call the arguments of all others, as nulls.
    """
    text = json.dumps(arguments)
    result = env.step(json.dumps({"name": name, "arguments": arguments}))[0]
    call = {"type": "function", "function": {"name": name, "arguments": text}}
    messages += [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "name": name, "content": result}]
    return str(result)


def make_tokenizer(dialogues: list[dict[str, Any]]) -> Any:
    """Byte-level BPE of what is said here, with the chat template that TRL ships for Qwen3."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast
    from trl.chat_template_utils import qwen3_chat_template

    marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>"]
    own = Tokenizer(models.BPE())
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)  # whole phrases may be one token
    own.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=own, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = qwen3_chat_template
    texts = [
        tokenizer.apply_chat_template(each["messages"], tools=json.loads(each["tools"]), tokenize=False) for each in dialogues
    ]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1024, special_tokens=marks, initial_alphabet=alphabet, show_progress=False)
    own.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=own, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = qwen3_chat_template
    return tokenizer


def make_model(tokenizer: Any) -> Any:
    """A random Qwen3 of two layers."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer), hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, head_dim=32, max_position_embeddings=4096, tie_word_embeddings=True,
            pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, bos_token_id=None,
        )
    )  # fmt: skip


def warm_up(model: Any, tokenizer: Any, dialogues: list[dict[str, Any]], steps: int, folder: str, seed: int) -> Any:
    """Imitate the teacher, so that tools are called at all; returns the trained model."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    config = SFTConfig(
        output_dir=folder, max_steps=steps, per_device_train_batch_size=4, learning_rate=3e-3, lr_scheduler_type="constant",
        assistant_only_loss=True, max_length=4096, logging_steps=max(1, steps // 4), report_to=[], save_strategy="no",
        use_cpu=True, bf16=False, seed=seed, disable_tqdm=True,
    )  # fmt: skip
    trainer = SFTTrainer(model, args=config, train_dataset=Dataset.from_list(dialogues), processing_class=tokenizer)
    trainer.train()
    return trainer.model


def main() -> None:
    """GRPO, after a warm start where wanted; prints what the curriculum made of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warmup", type=int, default=0, help="steps of imitation before GRPO")
    parser.add_argument("--steps", type=int, default=4, help="steps of GRPO")
    parser.add_argument("--groups", type=int, default=2, help="groups a step")
    parser.add_argument("--generations", type=int, default=4, help="rollouts a group")
    parser.add_argument("--tokens", type=int, default=768, help="most tokens of a rollout, results included")
    parser.add_argument("--out", default=None, help="folder of checkpoints; by default none are kept")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        import torch
        from transformers import set_seed
        from trl import GRPOConfig, GRPOTrainer
    except ImportError:
        print("This example needs the extra and PyTorch: pip install 'opsgym[trl]' torch")
        return
    torch.set_num_threads(1)
    set_seed(given.seed)
    start = time.process_time()
    dialogues = list(transcripts(64))
    tokenizer = make_tokenizer(dialogues)
    model = make_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters, {len(tokenizer)} tokens")
    with tempfile.TemporaryDirectory() as scratch:
        if given.warmup:
            model = warm_up(model, tokenizer, dialogues, given.warmup, scratch, given.seed)
            print(f"warm start done, {time.process_time() - start:.0f} CPU-s", flush=True)

        sampler = Ladder(SPACE, levels=3, window=8, seed=given.seed)
        curriculum = TRLCurriculum(make_env, sampler, generations=given.generations, tools=TOOLS)
        config = GRPOConfig(
            output_dir=given.out or scratch, max_steps=given.steps, per_device_train_batch_size=given.groups * given.generations,
            num_generations=given.generations, max_completion_length=given.tokens, max_tool_calling_iterations=16,
            learning_rate=1e-5, beta=0.0, logging_steps=1, report_to=[], save_strategy="steps" if given.out else "no",
            use_cpu=True, bf16=False, seed=given.seed, disable_tqdm=True,
        )  # fmt: skip
        trainer = GRPOTrainer(
            model, args=config, processing_class=tokenizer, train_dataset=curriculum.dataset(given.steps * given.groups),
            environment_factory=curriculum.environment_factory, callbacks=[curriculum.callback()],
        )  # fmt: skip
        trainer.train()
    for log in trainer.state.log_history:
        if "reward" in log:
            print(f"step {log['step']}: reward {log['reward']:.2f}, calls {log['tools/call_frequency']:.1f},",
                  f"level {log['curriculum/level']:.0f}, success so far {log['curriculum/success_rate']:.2f}")  # fmt: skip
    metrics = sampler.metrics()
    print(f"{metrics['asked']:.0f} tickets, {metrics['done']:.0f} rollouts told, {time.process_time() - start:.0f} CPU-s")


if __name__ == "__main__":
    main()
