;;; families.lisp - the model types that the program knows.
;;;
;;; Of each the architecture in config.json, what transformers assumes where config.json says nothing (5.24,
;;; configuration_*.py), as far as that is not Llama's, and what the type alone decides
;;; (lib/Checkpoint/DecoderFamilies.h). lib/Checkpoint reads config.json by this table; model.lisp and config.lisp have
;;; what the traits mean.

(defn table [] -> !llvm.ptr
  (cstring "
family llama LlamaForCausalLM
family mistral MistralForCausalLM intermediate_size=14336 num_key_value_heads=8 max_position_embeddings=131072
  windows-all sliding_window=4096
family qwen2 Qwen2ForCausalLM vocab_size=151936 intermediate_size=22016 num_key_value_heads=32
  max_position_embeddings=32768 bos_token_id=-1 eos_token_id=-1 windows-last sliding_window=4096
  max_window_layers=28 qkv-bias
family qwen3 Qwen3ForCausalLM vocab_size=151936 intermediate_size=22016 num_key_value_heads=32 head_dim=128
  max_position_embeddings=32768 bos_token_id=-1 eos_token_id=-1 windows-last sliding_window=4096
  max_window_layers=28 head-norms
family gemma2 Gemma2ForCausalLM vocab_size=256000 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26
  num_attention_heads=8 num_key_value_heads=4 head_dim=256 max_position_embeddings=8192 bos_token_id=2
  eos_token_id=1 tied windows-between sliding_window=4096 period=2 capped attn_logit_softcapping=50
  final_logit_softcapping=30 post-norms activation=gelu_pytorch_tanh activation-field=hidden_activation norm-offset=1
  scaled-embedding query_pre_attn_scalar=256
family gemma3_text Gemma3ForCausalLM vocab_size=262208 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26
  num_attention_heads=8 num_key_value_heads=4 head_dim=256 max_position_embeddings=131072 rope_theta=1000000
  bos_token_id=2 eos_token_id=1 tied windows-between sliding_window=4096 period=6 given-period head-norms
  two-rotaries rope_local_base_freq=10000 post-norms activation=gelu_pytorch_tanh activation-field=hidden_activation
  norm-offset=1 scaled-embedding query_pre_attn_scalar=256
family olmo2 Olmo2ForCausalLM vocab_size=50304 rms_norm_eps=1e-5 bos_token_id=-1 eos_token_id=50279 head-norms
  wide-head-norms post-norms only-post-norms
family olmo3 Olmo3ForCausalLM vocab_size=50304 rms_norm_eps=1e-5 rope_theta=500000 bos_token_id=-1
  eos_token_id=50279 windows-between sliding_window=4096 period=4 head-norms wide-head-norms two-rotaries post-norms
  only-post-norms
family phi3 Phi3ForCausalLM vocab_size=32064 hidden_size=3072 intermediate_size=8192 max_position_embeddings=4096
  rms_norm_eps=1e-5 eos_token_id=32000 windows-all partial
family smollm3 SmolLM3ForCausalLM vocab_size=128256 hidden_size=2048 num_hidden_layers=36 num_attention_heads=16
  num_key_value_heads=4 max_position_embeddings=32768 rope_theta=2000000 bos_token_id=128000 eos_token_id=128001
  tied period=4 unrotated

# Fields that would change what a model computes, or how its files are read, and that nothing reads, with the value that
# changes nothing. All further fields have no effect on the result: transformers has no use for them here, or only in
# training, for other tasks or for speed.
neutral rope_interleaved false
neutral use_mrope false
neutral use_bidirectional_attention false
neutral is_encoder_decoder false
neutral add_cross_attention false
neutral pruned_heads {}
neutral quantization_config null
neutral clip_qkv null
neutral attn_logit_softcapping null capped
neutral final_logit_softcapping null capped
"))
